/** Parameters that the routes of files share. */
import { Str } from '../../../kernel/http/params/schema.ts';

export const filePath = Str({ minLength: 1, maxLength: 4096, description: 'Path of the file, URL-encoded' });
