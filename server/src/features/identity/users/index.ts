/** Users. */
export { customAttributesOf, withAccount } from './accounts.queries.ts';
export { attributeParameters, userAttributes } from './attributes.ts';
export { editingRoutes } from './editing.routes.ts';
export { createEditing, keepAnAdministrator, type UserEditing } from './editing.service.ts';
export { mountUsernameExists } from './exists.mount.ts';
export { userReferences } from './references.ts';
export {
  CustomAttribute,
  isBot,
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
  findUserByIdOrName,
  findUserByLogin,
  findUserByUsername,
  insertUser,
  lockUser,
  moveUserSequence,
  pathTaken,
  setResetToken,
  type UserOrder,
  updatePassword,
  updateUser,
  usersMentioned,
} from './users.queries.ts';
export { userRoutes } from './users.routes.ts';
export {
  conflictFrom,
  createUsers,
  privateAddress,
  type UserCreatedHook,
  type UserDependencies,
  type UserRenamedHook,
  type Users,
  userEntity,
} from './users.service.ts';
export { check, emailReasons, passwordReasons, textReasons, usernameReasons } from './validation.ts';
