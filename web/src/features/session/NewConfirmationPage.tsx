/** Asking once more for the message that confirms an address. */
import { askForConfirmation } from '../../lib/registration.ts';
import { AskByMail } from './AskByMail.tsx';

export default function NewConfirmationPage() {
  return (
    <AskByMail
      title="Confirm your email address"
      text="We will send the confirmation link again. It is valid for three days."
      action="Send again"
      send={askForConfirmation}
    />
  );
}
