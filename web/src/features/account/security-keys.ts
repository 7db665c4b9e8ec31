/** Security keys through the browser. Loaded with the first use: most sign-ins need none. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

const library = () => import('@simplewebauthn/browser');

/** Whether this browser has security keys at this address: they need a name, and HTTPS unless it is localhost. */
export const keysAvailable = (): boolean =>
  window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(window.location.hostname);

/** What a person is told when the browser ended it. */
function reason(error: unknown): Error {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError') return new Error('Nothing was signed: it was canceled or took too long.');
  if (name === 'InvalidStateError') return new Error('This security key is already registered.');
  return error instanceof Error ? error : new Error(String(error));
}

/** Lets a key sign the options of a sign-in. */
export async function askKey(options: unknown): Promise<unknown> {
  const { startAuthentication } = await library();
  return await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON }).catch((error) => {
    throw reason(error);
  });
}

/** Lets the browser make a key. */
export async function makeKey(options: unknown): Promise<Record<string, unknown>> {
  const { startRegistration } = await library();
  const made = await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }).catch(
    (error) => {
      throw reason(error);
    },
  );
  return { ...made };
}
