/** Who sees which feature of a project. */
import { FieldsForm } from '../FieldsForm.tsx';
import { featureFields } from '../fields.ts';

export default function FeatureSettings() {
  return <FieldsForm title="Features" fields={featureFields} />;
}
