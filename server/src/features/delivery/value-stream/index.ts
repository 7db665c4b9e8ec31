/** Value stream: how long work takes from the first push to production. */
export { valueStreamRoutes } from './value-stream.routes.ts';
