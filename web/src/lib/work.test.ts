import { expect, it } from 'vitest';
import { workSentence } from './work.ts';

const none = { assigned_merge_requests: 0, review_requested_merge_requests: 0, failed_pipelines: 0, todos: 0 };

it('says what waits in one line, and nothing where nothing waits', () => {
  expect(workSentence(none)).toBeNull();
  expect(workSentence({ ...none, review_requested_merge_requests: 1 })).toBe('1 merge request needs your review');
  const all = { assigned_merge_requests: 1, review_requested_merge_requests: 2, failed_pipelines: 1, todos: 3 };
  expect(workSentence(all)).toBe(
    '2 merge requests need your review, 1 merge request is assigned to you, 1 of your pipelines failed, 3 to-dos',
  );
});
