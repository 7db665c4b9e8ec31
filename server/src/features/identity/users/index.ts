/** Users. */
export {
  type ReferenceRow,
  UserAccount,
  UserProfile,
  UserReference,
  userAccount,
  userProfile,
  userReference,
} from './users.entity.ts';
export {
  findReferences,
  findUser,
  findUserByLogin,
  findUserByUsername,
  insertUser,
  moveUserSequence,
  type UserOrder,
} from './users.queries.ts';
export { userRoutes } from './users.routes.ts';
export { createUsers, type UserCreatedHook, type Users } from './users.service.ts';
