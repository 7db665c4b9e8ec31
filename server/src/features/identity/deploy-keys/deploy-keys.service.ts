/** Deploy keys: keys of machines, each for some projects. One key means one thing: people's keys are none of these. */
import { entityOfPlace, instanceEntity, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { SshKey, User } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { insertSshKey, keyReasons, parseSshKey } from '../ssh-keys/index.ts';
import { check, findUser } from '../users/index.ts';
import {
  type DeployKey,
  findDeployKey,
  joinProject,
  leaveProject,
  pushRight,
  renameKey,
  usableKey,
} from './deploy-keys.queries.ts';

export interface NewDeployKey {
  readonly title: string;
  readonly key: string;
  readonly can_push?: boolean;
  readonly expires_at?: Date;
}

const taken = ['has already been taken'];

export interface DeployKeyDependencies {
  readonly db: Db;
  readonly settings: Settings;
  /** Whether somebody may do more in a project than the caller. */
  readonly outranksOn: (projectId: number, account: User, caller: Caller) => Promise<boolean>;
}

export function createDeployKeys({ db, settings, outranksOn }: DeployKeyDependencies) {
  const record = (tx: Db, caller: Caller, subject: ProjectSubject | null, what: string, key: SshKey, details = {}) =>
    recordAudit(tx, {
      ...originOfCaller(caller),
      entity: subject ? entityOfPlace(subject) : instanceEntity,
      event: `deploy_key_${what}`,
      details: { title: key.title, fingerprint_sha256: key.fingerprint_sha256, ...details },
      target: { type: 'DeployKey', id: key.id, details: key.title },
    });

  const userOf = (caller: Caller) => {
    if (!caller.user) throw unauthorized();
    return { id: caller.user.id, admin: caller.admin };
  };

  /** For a project, or for all where `subject` is null. A key that is there and that the caller may use is taken as it is. */
  async function add(subject: ProjectSubject | null, caller: Caller, given: NewDeployKey): Promise<SshKey> {
    const user = userOf(caller);
    const parsed = parseSshKey(given.key);
    const expiresAt = given.expires_at ?? null;
    // Of a project the ecosystem saves the link, and names the fields of the key in it.
    const field = (name: string) => (subject ? `deploy_key.${name}` : name);
    check({
      [field('key')]: keyReasons(parsed, expiresAt, await settings.read()),
      [field('title')]: given.title.trim() === '' ? ["can't be blank"] : [],
    });
    if (!parsed) throw invalidRecord({ [field('key')]: ['is invalid'] });
    try {
      return await transaction(db, async (tx) => {
        const known = subject && (await usableKey(tx, { sha256: parsed.fingerprintSha256 }, user));
        const key =
          known ??
          (await insertSshKey(tx, {
            kind: 'deploy',
            user_id: null,
            public: subject === null,
            created_by_id: user.id,
            title: given.title.trim(),
            key: `${parsed.type} ${parsed.blob}`,
            key_type: parsed.kind,
            bits: parsed.bits,
            fingerprint: parsed.fingerprint,
            fingerprint_sha256: parsed.fingerprintSha256,
            usage_type: 'auth',
            expires_at: expiresAt,
          }));
        if (subject) await joinProject(tx, subject.project.id, key.id, known ? undefined : given.can_push);
        await record(tx, caller, subject, known ? 'enabled' : 'created', key, { can_push: given.can_push ?? false });
        return key;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'ssh_keys_fingerprint_sha256_key'))
        throw invalidRecord({ [field('fingerprint_sha256')]: taken, [field('key')]: taken });
      throw error;
    }
  }

  /** The key that another project or everybody has, for this project too. */
  async function enable(subject: ProjectSubject, caller: Caller, id: number): Promise<void> {
    const key = await usableKey(db, { id }, userOf(caller));
    if (!key) throw notFound('Deploy key');
    await transaction(db, async (tx) => {
      await joinProject(tx, subject.project.id, key.id, undefined);
      await record(tx, caller, subject, 'enabled', key);
    });
  }

  /** Pushes are made in the name of whoever made the key: nobody lets somebody push who may do more than they may. */
  async function requirePushing(subject: ProjectSubject, caller: Caller, key: DeployKey): Promise<void> {
    // Administrators offer it to every project.
    if (key.public) return;
    const maker = key.created_by_id === null ? undefined : await findUser(db, key.created_by_id);
    if (maker && (await outranksOn(subject.project.id, maker, caller)))
      throw forbidden('the key pushes in the name of somebody with a role above yours');
  }

  /** Its title is that of all projects: only who made the key, or an administrator, changes it. */
  async function change(
    subject: ProjectSubject,
    caller: Caller,
    key: DeployKey,
    changes: { readonly title?: string | undefined; readonly can_push?: boolean | undefined },
  ): Promise<void> {
    const title = changes.title?.trim();
    if (title === '') throw invalidRecord({ title: ["can't be blank"] });
    if (changes.can_push) await requirePushing(subject, caller, key);
    const renames = title !== undefined && title !== key.title;
    if (renames && !caller.admin && key.created_by_id !== caller.user?.id) throw forbidden();
    await transaction(db, async (tx) => {
      if (renames) await renameKey(tx, key.id, title);
      if (changes.can_push !== undefined) await joinProject(tx, subject.project.id, key.id, changes.can_push);
      await record(tx, caller, subject, 'updated', key, changes);
    });
  }

  async function remove(subject: ProjectSubject, caller: Caller, key: DeployKey): Promise<void> {
    await transaction(db, async (tx) => {
      if (!(await leaveProject(tx, subject.project.id, key.id))) throw notFound('Deploy Key');
      await record(tx, caller, subject, 'removed', key);
    });
  }

  return {
    add,
    enable,
    change,
    remove,
    /** What a key may do in a project; null when the project does not have it. */
    async within(keyId: number, projectId: number): Promise<{ readonly canPush: boolean } | null> {
      const canPush = await pushRight(db, projectId, keyId);
      return canPush === undefined ? null : { canPush };
    },
    find: (projectId: number, id: number) => findDeployKey(db, projectId, id),
  };
}
export type DeployKeys = ReturnType<typeof createDeployKeys>;
