/** `npm run e2e`: the built product from a clean data directory, real git, real clients, a real browser. */
import { accountJourney } from './scenarios/accounts.ts';
import { administrationJourney } from './scenarios/administration.ts';
import { allPagesJourney } from './scenarios/all-pages.ts';
import { browserJourney } from './scenarios/browser.ts';
import { clients } from './scenarios/clients.ts';
import { documentsJourney } from './scenarios/documents.ts';
import { filePagesJourney } from './scenarios/file-pages.ts';
import { membersJourney } from './scenarios/group-members.ts';
import { groupJourney } from './scenarios/groups.ts';
import { historyJourney } from './scenarios/history.ts';
import { journey } from './scenarios/journey.ts';
import { lfsJourney } from './scenarios/lfs.ts';
import { oauthJourney } from './scenarios/oauth.ts';
import { ownAccountJourney } from './scenarios/own-account.ts';
import { parameters } from './scenarios/parameters.ts';
import { planningJourney } from './scenarios/planning.ts';
import { projectJourney } from './scenarios/projects.ts';
import { protectionJourney } from './scenarios/protections.ts';
import { referenceJourney } from './scenarios/reference.ts';
import { repositoryPagesJourney } from './scenarios/repository-pages.ts';
import { settingsJourney } from './scenarios/settings-pages.ts';
import { sshJourney } from './scenarios/ssh.ts';
import { transfersJourney } from './scenarios/transfers.ts';
import { twoFactorJourney } from './scenarios/two-factor.ts';
import { wikiJourney } from './scenarios/wikis.ts';
import { rootPassword, rootToken, startInstance } from './support/instance.ts';
import { createSuite, isScenarioEnd } from './support/suite.ts';

const suite = createSuite();
const instance = await startInstance();
const person = { url: instance.url, token: rootToken, login: 'root', password: rootPassword };
const scenarios = [
  () => journey(suite, instance),
  () => clients(suite, instance),
  () => parameters(suite, instance),
  () => administrationJourney(suite),
  () => browserJourney(suite, person),
  () => referenceJourney(suite, person),
  () => twoFactorJourney(suite),
  () => oauthJourney(suite),
  () => accountJourney(suite),
  () => ownAccountJourney(suite),
  () => projectJourney(suite),
  () => groupJourney(suite),
  () => membersJourney(suite),
  () => settingsJourney(suite),
  () => transfersJourney(suite),
  () => sshJourney(suite),
  () => lfsJourney(suite),
  () => protectionJourney(suite),
  () => repositoryPagesJourney(suite),
  () => filePagesJourney(suite),
  () => documentsJourney(suite),
  () => allPagesJourney(suite),
  () => wikiJourney(suite),
  () => historyJourney(suite),
  () => planningJourney(suite),
];
try {
  for (const scenario of scenarios) {
    // What one scenario could not do keeps none of the others from running.
    await scenario().catch((error: unknown) => {
      if (!isScenarioEnd(error)) throw error;
    });
  }
} finally {
  await suite.step('SIGTERM stops everything and exits 0', async () => {
    const code = await instance.stop();
    if (code !== 0) throw new Error(`exit code ${code}\n${instance.log().slice(-3000)}`);
  });
  instance.remove();
}
// Whatever a failed step left running, the result is known: nothing may keep the run from ending.
process.exit(suite.finish());
