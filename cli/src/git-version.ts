/** Whether the machine's git is new enough. */
import { createGit, gitVersion } from '@millrace/git';

const oldest = [2, 38];

export async function gitFinding(): Promise<{ check: string; ok: boolean; message: string }> {
  try {
    const version = await gitVersion(createGit());
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const ok = major > oldest[0]! || (major === oldest[0] && minor >= oldest[1]!);
    return { check: 'git', ok, message: ok ? version : `${version}: ${oldest.join('.')} or later is needed` };
  } catch (error) {
    return { check: 'git', ok: false, message: `git does not run: ${(error as Error).message}` };
  }
}
