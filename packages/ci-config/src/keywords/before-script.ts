/** `before_script`: commands before `script`, in the same shell. */
import { scriptKeyword } from './script-lines.ts';

export const beforeScript = scriptKeyword({ name: 'before_script', inheritable: true });
