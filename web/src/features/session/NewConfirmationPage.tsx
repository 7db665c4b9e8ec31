/** Asking once more for the message that confirms an address. */
import { askForConfirmation } from '../../lib/registration.ts';
import { AskByMail } from './AskByMail.tsx';

export default function NewConfirmationPage() {
  return (
    <AskByMail
      title="Confirm your address"
      text="The message with the link goes out once more. The link works for three days."
      action="Send the message again"
      send={askForConfirmation}
    />
  );
}
