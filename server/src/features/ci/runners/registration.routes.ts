/** Runners come and go: creation by people, registration, verification, new tokens, removal by themselves. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { Runner } from '../../../kernel/db/rows.ts';
import { Entity, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { forbidden, invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { mutuallyExclusive } from '../../../kernel/http/params/groups.ts';
import { Bool, IdOrPath, Int, List, OneOf, Optional, OrNull, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findRunnerByToken, touchManager } from '../runner-protocol/claim.queries.ts';
import { runnerTokenOf } from '../runner-protocol/job-access.ts';
import { InfoParam, managerInfo, type RunnerInfo } from '../runner-protocol/requests.routes.ts';
import { type RegistrationOwner, registrationOwner } from './registration-tokens.queries.ts';
import type { RegistrationTokens } from './registration-tokens.service.ts';
import { RunnerCreated, RunnerToken } from './runners.entity.ts';
import { deleteManager, deleteRunner, insertRunner, managersOf, updateRunner } from './runners.queries.ts';
import {
  mayBeRegistered,
  newRunnerToken,
  type RunnerAccess,
  requireReplaceable,
  runnerFrom,
} from './runners.service.ts';

const tag = 'Runners';
const protocol = 'Runner protocol';
const credentials = ['token', 'session'] as const;
const signedIn = { on: 'instance', ability: 'signed_in' } as const;
const byToken = { credentials: ['body'], access: { on: 'credential' }, tag: protocol } as const;
const token = Optional(Str({ description: "The runner's authentication token" }));
const RegistrationToken = Entity('RunnerRegistrationToken', {
  token: Text(),
  token_expires_at: Nullable(Timestamp({ description: 'When the token ends; null for never' })),
});

const settings = {
  description: Optional(Str({ description: 'What users recognise the runner by' })),
  maintenance_note: Optional(OrNull(Str({ description: 'Notes for who runs the runner' }))),
  paused: Optional(Bool({ description: 'Whether the runner takes no new jobs' })),
  locked: Optional(Bool({ description: 'Whether the runner stays with its projects: it is not enabled for others' })),
  run_untagged: Optional(Bool({ description: 'Whether it runs jobs without tags' })),
  tag_list: Optional(
    List(Str(), { commas: true, description: 'Only jobs with all of their tags among these run on it' }),
  ),
  access_level: Optional(
    OneOf(['not_protected', 'ref_protected', ''], {
      description: 'Whether it runs jobs of all refs or of protected ones only',
    }),
  ),
  maximum_timeout: Optional(
    OrNull(Int({ description: 'Seconds after which a job on it is stopped; null for no limit of its own' })),
  ),
};

/** Runners send empty text and 0 for what they were not told. */
const given = <T extends { access_level?: string | undefined; maximum_timeout?: number | null | undefined }>(
  params: T,
) => ({
  ...params,
  access_level: params.access_level === 'ref_protected' ? ('ref_protected' as const) : undefined,
  maximum_timeout: params.maximum_timeout || null,
});

export function registrationRoutes(
  deps: CiDependencies,
  access: RunnerAccess,
  tokens: Pick<RegistrationTokens, 'reset'>,
): Route[] {
  const { db } = deps;

  async function runnerOf(text: string | undefined): Promise<Runner> {
    const runner = text === undefined ? undefined : await findRunnerByToken(db, tokenHash(text));
    if (!runner) throw forbidden();
    return runner;
  }

  async function renew(runner: Runner) {
    requireReplaceable(runner, deps.builtIn);
    const {
      token: secret,
      hash,
      expiresAt,
    } = await newRunnerToken(deps.settings, runner.runner_type, runner.registration_type);
    const token = { token_sha256: hash, token_expires_at: expiresAt };
    const changed = await transaction(db, async (tx) => updateRunner(tx, runner.id, token));
    if (!changed) throw notFound('Runner');
    return { token: secret, token_expires_at: changed.token_expires_at };
  }

  const resetRegistration = async (owner: RegistrationOwner) => ({
    token: await tokens.reset(owner),
    token_expires_at: null,
  });

  return [
    route({
      method: 'POST',
      path: '/user/runners',
      summary: 'Create a runner',
      tag,
      credentials,
      scopes: ['api', 'create_runner'],
      access: signedIn,
      params: Type.Object({
        ...settings,
        runner_type: OneOf(['instance_type', 'group_type', 'project_type'], { description: 'Whom the runner is for' }),
        group_id: Optional(Int({ description: 'For `group_type`' })),
        project_id: Optional(Int({ description: 'For `project_type`' })),
      }),
      responses: { 201: RunnerCreated },
      handler: async ({ caller, params }) => {
        const { runner_type: type, group_id: groupId, project_id: projectId } = params;
        if (type === 'group_type' && groupId === undefined) throw invalidParameters(['group_id is missing']);
        if (type === 'project_type' && projectId === undefined) throw invalidParameters(['project_id is missing']);
        const owner = await access.owner(caller, type, { groupId, projectId });
        if (!caller.admin && !(await mayBeRegistered(deps.settings, type)))
          throw forbidden('runner registration disallowed by valid_runner_registrars');
        const secret = await newRunnerToken(deps.settings, type, 'authenticated_user');
        const by = { registrationType: 'authenticated_user', createdById: caller.user?.id ?? null } as const;
        const row = runnerFrom(given(params), { ...owner, ...by }, secret);
        const runner = await transaction(db, async (tx) => insertRunner(tx, row));
        return { id: runner.id, token: secret.token, token_expires_at: runner.token_expires_at };
      },
    }),
    route({
      ...byToken,
      method: 'POST',
      path: '/runners',
      summary: 'Register a runner with a registration token',
      params: Type.Object(
        {
          ...settings,
          token: Str({ description: 'Registration token of the instance, a group or a project' }),
          active: Optional(Bool({ deprecated: true, description: 'The opposite of `paused`' })),
          info: InfoParam(),
        },
        rules(mutuallyExclusive('active', 'paused')),
      ),
      responses: { 201: RunnerCreated },
      handler: async ({ params }) => {
        const { allow_runner_registration_token: allowed } = await deps.settings.read();
        if (!allowed) throw forbidden('runner registration disallowed by allow_runner_registration_token');
        const owner = await registrationOwner(db, tokenHash(params.token));
        if (!owner) throw forbidden('invalid token supplied');
        const type =
          owner.projectId !== null ? 'project_type' : owner.namespaceId !== null ? 'group_type' : 'instance_type';
        // Whoever has the token: it says nothing of who that is.
        if (!(await mayBeRegistered(deps.settings, type)))
          throw forbidden('runner registration disallowed by valid_runner_registrars');
        const secret = await newRunnerToken(deps.settings, type, 'registration_token');
        const by = { type, ...owner, registrationType: 'registration_token', createdById: null } as const;
        const runner = await transaction(db, async (tx) => insertRunner(tx, runnerFrom(given(params), by, secret)));
        return { id: runner.id, token: secret.token, token_expires_at: runner.token_expires_at };
      },
    }),
    route({
      ...byToken,
      method: 'DELETE',
      path: '/runners',
      summary: 'Delete the runner that the token belongs to',
      params: Type.Object({ token }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, request, unmodifiedSince }) => {
        const runner = await runnerOf(runnerTokenOf(request, params.token));
        requireReplaceable(runner, deps.builtIn);
        unmodifiedSince(runner.updated_at);
        if (!(await transaction(db, (tx) => deleteRunner(tx, runner.id)))) throw forbidden();
      },
    }),
    route({
      ...byToken,
      method: 'DELETE',
      path: '/runners/managers',
      summary: 'Delete one process of the runner that the token belongs to',
      params: Type.Object({
        token,
        system_id: Str({ description: 'Tells machines apart that use the same runner token' }),
      }),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, request, unmodifiedSince }) => {
        const runner = await runnerOf(runnerTokenOf(request, params.token));
        const manager = (await managersOf(db, runner.id)).find((each) => each.system_id === params.system_id);
        if (!manager) throw notFound('Runner manager');
        unmodifiedSince(manager.created_at);
        await deleteManager(db, runner.id, manager.system_id);
      },
    }),
    route({
      ...byToken,
      method: 'POST',
      path: '/runners/verify',
      summary: 'Verify the token of a runner',
      params: Type.Object({
        token,
        system_id: Optional(Str({ description: 'Tells machines apart that use the same runner token' })),
        info: InfoParam(),
      }),
      responses: { 200: RunnerCreated },
      handler: async ({ params, request, clientAddress }) => {
        const secret = runnerTokenOf(request, params.token);
        const runner = await runnerOf(secret);
        const info = params.info as RunnerInfo | undefined;
        if (params.system_id) await touchManager(db, runner.id, managerInfo(params.system_id, info, clientAddress));
        return { id: runner.id, token: secret, token_expires_at: runner.token_expires_at };
      },
    }),
    route({
      ...byToken,
      method: 'POST',
      path: '/runners/reset_authentication_token',
      summary: 'Reset the authentication token of the runner that the token belongs to',
      params: Type.Object({ token }),
      responses: { 201: RunnerToken },
      handler: async ({ params, request }) => renew(await runnerOf(runnerTokenOf(request, params.token))),
    }),
    route({
      scopes: ['api', 'manage_runner'],
      method: 'POST',
      path: '/runners/:id/reset_authentication_token',
      summary: 'Reset the authentication token of a runner',
      tag,
      credentials,
      access: signedIn,
      params: Type.Object({ id: Int({ description: 'Id of the runner' }) }),
      responses: { 201: RunnerToken },
      handler: async ({ caller, params }) => renew(await access.toChange(caller, params.id)),
    }),
    route({
      method: 'POST',
      path: '/runners/reset_registration_token',
      summary: 'Reset the registration token of the instance',
      tag,
      credentials,
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({}),
      responses: { 201: RegistrationToken },
      handler: async () => resetRegistration({ namespaceId: null, projectId: null }),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/runners/reset_registration_token',
      summary: 'Reset the registration token of a group',
      tag,
      credentials,
      access: { on: 'group', ability: 'admin_group_runner' },
      params: Type.Object({ id: IdOrPath('Id or path of the group') }),
      responses: { 201: RegistrationToken },
      handler: async ({ subject }) => resetRegistration({ namespaceId: subject.group.id, projectId: null }),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/runners/reset_registration_token',
      summary: 'Reset the registration token of a project',
      tag,
      credentials,
      access: { on: 'project', ability: 'admin_runner' },
      params: Type.Object({ id: IdOrPath('Id or path of the project') }),
      responses: { 201: RegistrationToken },
      handler: async ({ subject }) => resetRegistration({ namespaceId: null, projectId: subject.project.id }),
    }),
  ];
}
