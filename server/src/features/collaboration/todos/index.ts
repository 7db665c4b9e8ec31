/** What people have to do. */
export { createTodo, createTodos, type NewTodo, resolveAll, resolveTodos, type TodoAction } from './todos.queries.ts';
export { todoRoutes, todoRoutesOf } from './todos.routes.ts';
