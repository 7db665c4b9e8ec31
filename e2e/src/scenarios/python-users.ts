/** python-gitlab on accounts: users, their state, keys, addresses, attributes, as its users call them. */
import assert from 'node:assert/strict';
import type { Suite } from '../support/suite.ts';

const gpgKey = `-----BEGIN PGP PUBLIC KEY BLOCK-----

xjMEawGyKBYJKwYBBAHaRw8BAQdAGvQlMq4LmFlXqm26FOa1fBH1isD1eQLD
ztEFP8ucvEvNG0xpbm5ldCA8bGlubmV0QGV4YW1wbGUuY29tPsLAEwQTFgoA
hQWCawGyKAMLCQcJENX1fwDGcNZVRRQAAAAAABwAIHNhbHRAbm90YXRpb25z
Lm9wZW5wZ3Bqcy5vcmckHqqFip5gDYWVzB/hPB6PtYpdIh6eG05hez01kCko
3wUVCggODAQWAAIBAhkBApsDAh4BFiEEhFmlmp1pFoYqAtcS1fV/AMZw1lUA
ANjVAQDWdsxUgxnaaKPYLoULE2a3OYM1eSKPiZf3nsFLL9TcuQEAitj1mayH
4nzN7Qj0JAszZQfDdmlx610Vg3ZawyCnbg3OOARrAbIoEgorBgEEAZdVAQUB
AQdATru9zJMC6Vt3VCtnpDKM6qofy495woFzBLMOT3m8CUEDAQgHwr4EGBYK
AHAFgmsBsigJENX1fwDGcNZVRRQAAAAAABwAIHNhbHRAbm90YXRpb25zLm9w
ZW5wZ3Bqcy5vcmfgCo5/QIRrxB7UPDdmOfeiK0tMTg7zDkgKFJSF+X9GIAKb
DBYhBIRZpZqdaRaGKgLXEtX1fwDGcNZVAAABSAEAq8+42c+6NCfF3ZoTeWwX
dsQmFDO132ErCtxePdNVSAsBAP6EZO5EStBDKWHmRQ5qGdgf6db+LAMirWGH
Mk2Gh7QP
=1/YZ
-----END PGP PUBLIC KEY BLOCK-----`;

const script = `
import sys
import gitlab
url, root_token, gpg_key = sys.argv[1:4]
root = gitlab.Gitlab(url, private_token=root_token)
root.auth()
assert root.user.is_admin is True

user = root.users.create({'email': 'linnet@example.com', 'username': 'linnet', 'name': 'Linnet',
                          'password': 'a-song-of-the-hedge', 'skip_confirmation': True, 'bio': 'Sings'})
assert user.attributes['bio'] == 'Sings' and user.confirmed_at, user
assert [u.id for u in root.users.list(search='linn')] == [user.id]
assert [u.id for u in root.users.list(username='LINNET')] == [user.id]
assert root.users.list(username='nobody-at-all') == []
try:
    root.users.create({'email': 'linnet@example.com', 'username': 'l2', 'name': 'L', 'reset_password': True})
    raise SystemExit('an address was taken twice')
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 409, error
reset = root.users.create({'email': 'wren@example.com', 'username': 'wren', 'name': 'W', 'reset_password': True})
assert reset.state == 'active'

user.organization = 'Hedge'
user.job_title = 'Singer'
user.save()
user = root.users.get(user.id)
assert user.work_information == 'Singer at Hedge', user.work_information

assert user.block() is True and root.users.get(user.id).state == 'blocked'
assert [u.id for u in root.users.list(blocked=True)] == [user.id]
assert user.unblock() is True and root.users.get(user.id).state == 'active'
assert user.ban() is True and root.users.get(user.id).state == 'banned'
assert user.unban() is True and root.users.get(user.id).state == 'active'
assert user.deactivate() is True and root.users.get(user.id).state == 'deactivated'
assert user.activate() is True and root.users.get(user.id).state == 'active'

ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
key = user.keys.create({'title': 'laptop', 'key': ed25519})
assert [k.id for k in user.keys.list()] == [key.id]
assert root.keys.get(fingerprint='SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU').user['id'] == user.id
assert root.keys.get(key.id).user['username'] == 'linnet'
key.delete()
assert user.keys.list() == []

gpg = user.gpgkeys.create({'key': gpg_key})
assert user.gpgkeys.get(gpg.id).key == gpg_key
gpg.delete()
assert user.gpgkeys.list() == []

email = user.emails.create({'email': 'linnet2@example.com', 'skip_confirmation': True})
assert [e.email for e in user.emails.list()] == ['linnet2@example.com']
email.delete()
assert user.emails.list() == []

attribute = user.customattributes.set('nest', 'hedge')
assert user.customattributes.get('nest').value == 'hedge'
assert [u.id for u in root.users.list(custom_attributes={'nest': 'hedge'})] == [user.id]
attribute.delete()
assert user.customattributes.list() == []

token = user.personal_access_tokens.create({'name': 'own', 'scopes': ['api']}).token
linnet = gitlab.Gitlab(url, private_token=token)
linnet.auth()
assert linnet.user.username == 'linnet' and not hasattr(linnet.user, 'is_admin')
status = linnet.user.status.get()
status.message = 'on the wing'
status.emoji = 'bird'
status.save()
assert user.status.get().message == 'on the wing'
own = linnet.user.keys.create({'title': 'own', 'key': ed25519})
assert linnet.user.keys.get(own.id).title == 'own'
own.delete()
assert [e.email for e in linnet.user.emails.list()] == []
assert user.follow() and [u.username for u in user.followers_users.list()] == ['root']
assert [u.username for u in root.users.get(1).following_users.list()] == ['linnet']
assert user.unfollow()
assert user.memberships.list() == []
assert linnet.http_get('/user_counts')['merge_requests'] == 0
avatar = b'\\x89PNG\\r\\n\\x1a\\n' + b'0' * 32
user.avatar = avatar
user.save()
assert root.http_get(root.users.get(user.id).avatar_url, raw=True).content == avatar

user.delete()
for _ in range(100):
    try:
        root.users.get(user.id)
    except gitlab.exceptions.GitlabGetError as error:
        assert error.response_code == 404, error
        break
    import time
    time.sleep(0.1)
else:
    raise SystemExit('a removed user is still there')
reset.delete(hard_delete=True)
print('done')
`;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `run` starts the interpreter that has the library, with the arguments and the text on its input. */
export async function pythonUsers(
  suite: Suite,
  url: string,
  rootToken: string,
  run: (args: readonly string[], input: string) => Promise<Ran>,
): Promise<void> {
  await suite.step('python-gitlab: users, states, keys, addresses, attributes, status, followers', async () => {
    const ran = await run(['-', url, rootToken, gpgKey], script);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^done$/m);
  });
}
