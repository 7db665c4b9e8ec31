/** The API that makes, changes and removes single files: each a commit with one action. */
import Type from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { Bool, IdOrPath, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CommitService, FileAction } from '../commits/commits.service.ts';
import { filePath } from './files.params.ts';

const FileCommit = Entity('FileCommit', { file_path: Text(), branch: Text() });

const identity = {
  id: IdOrPath('Id or path of the project'),
  file_path: filePath,
  branch: Str({ minLength: 1, maxLength: 1024, description: 'Branch that gets the commit' }),
  commit_message: Str({ minLength: 1, maxLength: 1_048_576, description: 'Message of the commit' }),
  start_branch: Optional(Str({ minLength: 1, description: 'Branch that a new `branch` starts from' })),
  author_email: Optional(Str({ maxLength: 255, description: "The author's email; the caller's by default" })),
  author_name: Optional(Str({ maxLength: 255, description: "The author's name; the caller's by default" })),
};
const lastCommit = {
  last_commit_id: Optional(Str({ description: 'Last known commit of the file: refused when there is a newer one' })),
};
const content = {
  content: Str({ description: 'What the file holds' }),
  encoding: Optional(OneOf(['text', 'base64'], { default: 'text', description: 'How `content` is written' })),
  execute_filemode: Optional(Bool({ description: 'Whether the file is executable' })),
};

interface Asked {
  readonly branch: string;
  readonly commit_message: string;
  readonly start_branch?: string;
  readonly author_email?: string;
  readonly author_name?: string;
}

export function fileEditRoutes(commits: CommitService): Route[] {
  const optionsOf = (asked: Asked, actions: readonly FileAction[]) => ({
    branch: asked.branch,
    message: asked.commit_message,
    actions,
    startBranch: asked.start_branch,
    authorName: asked.author_name,
    authorEmail: asked.author_email,
    // Clients tell a branch that they may unprotect by this status.
    refusedAs: 400 as const,
  });
  const declared = {
    path: '/projects/:id/repository/files/:file_path',
    tag: 'Repository files',
    credentials: ['token', 'session'],
    scopes: ['api'],
    access: { on: 'project', ability: 'push_code' },
  } as const;
  return [
    route({
      ...declared,
      method: 'POST',
      summary: 'Create a file',
      params: Type.Object({ ...identity, ...content }),
      responses: { 201: FileCommit },
      handler: async ({ params, subject, caller }) => {
        const { file_path, branch, content: text, encoding = 'text', execute_filemode } = params;
        const action = { action: 'create', file_path, content: text, encoding } as const;
        const mode = execute_filemode === undefined ? {} : { execute_filemode };
        await commits.create(subject, caller, optionsOf(params, [{ ...action, ...mode }]));
        return { file_path, branch };
      },
    }),
    route({
      ...declared,
      method: 'PUT',
      summary: 'Update a file',
      params: Type.Object({ ...identity, ...content, ...lastCommit }),
      responses: { 200: FileCommit },
      handler: async ({ params, subject, caller }) => {
        const { file_path, branch, content: text, encoding = 'text', execute_filemode, last_commit_id } = params;
        const known = last_commit_id === undefined ? {} : { last_commit_id };
        const actions: FileAction[] = [{ action: 'update', file_path, content: text, encoding, ...known }];
        if (execute_filemode !== undefined) actions.push({ action: 'chmod', file_path, execute_filemode });
        await commits.create(subject, caller, optionsOf(params, actions));
        return { file_path, branch };
      },
    }),
    route({
      ...declared,
      method: 'DELETE',
      summary: 'Delete a file',
      params: Type.Object({ ...identity, ...lastCommit }),
      responses: { 204: Empty },
      conditional: 'The condition is `last_commit_id`.',
      handler: async ({ params, subject, caller }) => {
        const { file_path, last_commit_id } = params;
        const known = last_commit_id === undefined ? {} : { last_commit_id };
        await commits.create(subject, caller, optionsOf(params, [{ action: 'delete', file_path, ...known }]));
      },
    }),
  ];
}
