/** Check boxes of texts. */
export { changedTask, type TaskChange, TaskParam, tasksOf, taskText, withTask } from './tasks.ts';
