/** What is made before it is deleted with the client's date. */
import { unique } from './factories.ts';

export const deployToken = { name: 'x', scopes: ['read_repository'] };
export const accessToken = { name: 'x', scopes: ['api'] };
export const application = { name: 'x', redirect_uri: 'https://client.example/', scopes: 'api' };
export const packageRule = () => ({
  package_name_pattern: unique('kept'),
  package_type: 'generic',
  minimum_access_level_for_push: 'owner',
});
