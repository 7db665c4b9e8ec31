/** The API of signatures: how a commit or tag is signed, and the key of this instance. */
import Type from 'typebox';
import { notFound, plainError } from '../../../kernel/http/errors.ts';
import { IdOrPath, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { CommitDetails } from '../commits/detail.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { InstanceKeys } from './instance-keys.ts';
import { CommitSignature, WebCommitsKey } from './signatures.entity.ts';
import type { Signatures } from './signatures.service.ts';

const id = IdOrPath('Id or path of the project');
const declared = {
  method: 'GET',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_code' },
} as const;

export function signatureRoutes(deps: {
  readonly reader: RepositoryReader;
  readonly details: Pick<CommitDetails, 'resolved'>;
  readonly signatures: Signatures;
  readonly keys: Pick<InstanceKeys, 'publicKey'>;
}): Route[] {
  const { reader, details, signatures } = deps;
  return [
    route({
      ...declared,
      path: '/projects/:id/repository/commits/:sha/signature',
      summary: 'Get the signature of a commit',
      tag: 'Commits',
      params: Type.Object({ id, sha: Str({ description: 'Hash, branch or tag' }) }),
      responses: { 200: CommitSignature },
      handler: async ({ params, subject }) => {
        const found = await signatures.ofCommit(subject.project, await details.resolved(subject, params.sha));
        if (!found) throw notFound('Signature');
        return found;
      },
    }),
    route({
      ...declared,
      path: '/projects/:id/repository/tags/:tag_name/signature',
      summary: 'Get the signature of a tag',
      tag: 'Tags',
      params: Type.Object({ id, tag_name: Str({ description: 'Name of the tag' }) }),
      responses: { 200: CommitSignature },
      handler: async ({ params, subject }) => {
        const tag = await reader.tag(subject.project, params.tag_name);
        if (!tag) throw notFound('Tag');
        const annotated = tag.target !== tag.commit;
        const found = annotated ? await signatures.ofTag(subject.project, tag.target) : null;
        if (!found) throw notFound('Signature');
        const { commit_source: _, ...shown } = found;
        return shown;
      },
    }),
    route({
      method: 'GET',
      path: '/web_commits/public_key',
      summary: 'Get the public key that commits of the instance are signed with',
      tag: 'Commits',
      credentials: ['token', 'session'],
      access: { on: 'public' },
      params: Type.Object({}),
      responses: { 200: WebCommitsKey },
      errors: [404],
      handler: async () => {
        if (deps.keys.publicKey === null) throw plainError(404, 'Public key not found.');
        return { public_key: deps.keys.publicKey };
      },
    }),
  ];
}
