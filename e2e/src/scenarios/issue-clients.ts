/** Issues, comments, threads and to-dos through `@gitbeaker/rest`. */
import assert from 'node:assert/strict';
import type { Gitlab } from '@gitbeaker/rest';
import type { Suite } from '../support/suite.ts';

type Client = InstanceType<typeof Gitlab>;

/** In the project of the client's own. */
export async function issueClients(suite: Suite, client: Client, project: () => number): Promise<void> {
  let iid = 0;
  await suite.step('gitbeaker: issues are created, found, changed and counted', async () => {
    const made = await client.Issues.create(project(), 'The client crashes', {
      description: 'With a *stack trace*',
      labels: 'bug,client',
      dueDate: '2030-01-31',
    });
    iid = made.iid;
    assert.deepEqual([made.state, made.labels, made.due_date], ['opened', ['bug', 'client'], '2030-01-31']);
    await client.Issues.create(project(), 'Another one', { labels: 'docs' });
    const found = await client.Issues.all({ projectId: project(), labels: 'bug', state: 'opened', search: 'crash' });
    assert.deepEqual(
      found.map((each) => each.iid),
      [iid],
    );
    const none = await client.Issues.all({ projectId: project(), labels: 'None' });
    assert.equal(none.length, 0);
    assert.equal((await client.Issues.show(iid, { projectId: project() })).title, 'The client crashes');
    const me = await client.Users.showCurrentUser();
    const edited = await client.Issues.edit(project(), iid, { assigneeIds: [me.id], addLabels: 'urgent' });
    assert.equal(edited.assignees?.[0]?.id, me.id);
    assert.deepEqual(edited.labels, ['bug', 'client', 'urgent']);
    assert.equal((await client.Issues.addSpentTime(project(), iid, '1h 30m')).human_total_time_spent, '1h 30m');
    const { statistics } = await client.IssuesStatistics.all({ projectId: project() });
    assert.deepEqual(statistics.counts, { all: 2, closed: 0, opened: 2 });
  });
  await suite.step('gitbeaker: comments and threads on issues', async () => {
    const note = await client.IssueNotes.create(project(), iid, 'First');
    assert.equal((await client.IssueNotes.edit(project(), iid, note.id, { body: 'Changed' })).body, 'Changed');
    const thread = await client.IssueDiscussions.create(project(), iid, 'A question');
    await client.IssueDiscussions.addNote(project(), iid, thread.id, 'An answer');
    const shown = await client.IssueDiscussions.show(project(), iid, thread.id);
    assert.deepEqual(
      (shown.notes as unknown as readonly { readonly body: string }[]).map((each) => each.body),
      ['A question', 'An answer'],
    );
    const notes = await client.IssueNotes.all(project(), iid, { sort: 'asc' });
    assert.deepEqual(
      notes.filter((each) => !each.system).map((each) => each.body),
      ['Changed', 'A question', 'An answer'],
    );
    await client.IssueNotes.remove(project(), iid, note.id);
    await assert.rejects(client.IssueNotes.show(project(), iid, note.id));
  });
  await suite.step('gitbeaker: to-dos are added, listed and marked as done', async () => {
    const todo = await client.Issues.createTodo(project(), iid);
    assert.deepEqual([todo.action_name, todo.target_type, todo.state], ['marked', 'Issue', 'pending']);
    const pending = await client.TodoLists.all({ state: 'pending', type: 'Issue' });
    assert.ok(pending.some((each) => each.id === todo.id));
    assert.equal((await client.TodoLists.done({ todoId: todo.id })).state, 'done');
    await client.TodoLists.done();
    assert.deepEqual(await client.TodoLists.all({ state: 'pending' }), []);
  });
  await suite.step('gitbeaker: issues are closed, with their history', async () => {
    assert.equal((await client.Issues.edit(project(), iid, { stateEvent: 'close' })).state, 'closed');
    const states = await client.IssueStateEvents.all(project(), iid);
    assert.deepEqual(
      states.map((each) => each.state),
      ['closed'],
    );
  });
}
