/** One commit with what belongs to it, as `GET /commits/:sha` and every route that makes a commit answer it. */
import type { Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { Signatures } from '../signatures/signatures.service.ts';
import type { CommitDetail } from './commits.entity.ts';
import { commitJson, projectPath } from './commits.json.ts';
import { lastPipeline } from './commits.queries.ts';

export interface CommitDetailDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly signatures: Pick<Signatures, 'ofCommit'>;
}

export interface CommitDetails {
  urlOf(subject: ProjectSubject): string;
  /** Commit id of a hash, branch or tag; 404 where it names none. */
  resolved(subject: ProjectSubject, revision: string): Promise<string>;
  /** Pipelines are told to those who may see them. */
  of(
    subject: ProjectSubject,
    caller: Caller,
    commitId: string,
    withStats: boolean,
  ): Promise<Static<typeof CommitDetail>>;
}

export function commitDetails({ db, externalUrl, reader, signatures }: CommitDetailDependencies): CommitDetails {
  const urlOf = (subject: ProjectSubject) => `${externalUrl}/${projectPath(subject)}`;
  return {
    urlOf,
    async resolved(subject, revision) {
      const found = await reader.resolve(subject.project, revision);
      if (found === null) throw notFound('Commit');
      return found;
    },
    async of(subject, caller, commitId, withStats) {
      const [commit, stats, pipeline, signature] = await Promise.all([
        reader.commit(subject.project, commitId),
        withStats ? reader.stats(subject.project, commitId) : undefined,
        canOnProject(caller, 'read_pipeline', subject) ? lastPipeline(db, subject.project.id, commitId) : null,
        signatures.ofCommit(subject.project, commitId),
      ]);
      return {
        ...commitJson(commit, urlOf(subject), { stats, trailers: true }),
        status: pipeline?.status ?? null,
        project_id: subject.project.id,
        last_pipeline: pipeline && { ...pipeline, web_url: `${urlOf(subject)}/-/pipelines/${pipeline.id}` },
        signature_status: signature?.verification_status ?? null,
      };
    },
  };
}
