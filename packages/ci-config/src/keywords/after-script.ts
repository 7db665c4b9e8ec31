/** `after_script`: commands after `script`, in a shell of their own, also when it failed. */
import { scriptKeyword } from './script-lines.ts';

export const afterScript = scriptKeyword({ name: 'after_script', inheritable: true });
