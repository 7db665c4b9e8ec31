/**
 * `npm run e2e`: the built product from a clean data directory, real git, real clients, a real browser. `--only groups,file-pages`
 * runs some scenarios, `--late 800` lets answers come late by chance, which finds steps that only work when all is quick.
 */
import { parseArgs } from 'node:util';
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
import { answerLate } from './support/browser.ts';
import { rootPassword, rootToken, startInstance } from './support/instance.ts';
import { createSuite, type Suite } from './support/suite.ts';

/** One instance for the main job, the clients, and the pages that show what both have done. */
async function mainJourney(suite: Suite): Promise<void> {
  const instance = await startInstance();
  const person = { url: instance.url, token: rootToken, login: 'root', password: rootPassword };
  try {
    await journey(suite, instance);
    await clients(suite, instance);
    await parameters(suite, instance);
    await browserJourney(suite, person);
    await referenceJourney(suite, person);
  } finally {
    await suite.step('SIGTERM stops everything and exits 0', async () => {
      const code = await instance.stop();
      if (code !== 0) throw new Error(`exit code ${code}\n${instance.log().slice(-3000)}`);
    });
    instance.remove();
  }
}

/** By the files that they are in. */
const scenarios: Record<string, (suite: Suite) => Promise<void>> = {
  journey: mainJourney,
  administration: administrationJourney,
  'two-factor': twoFactorJourney,
  oauth: oauthJourney,
  accounts: accountJourney,
  'own-account': ownAccountJourney,
  projects: projectJourney,
  groups: groupJourney,
  'group-members': membersJourney,
  'settings-pages': settingsJourney,
  transfers: transfersJourney,
  ssh: sshJourney,
  lfs: lfsJourney,
  protections: protectionJourney,
  'repository-pages': repositoryPagesJourney,
  'file-pages': filePagesJourney,
  documents: documentsJourney,
  'all-pages': allPagesJourney,
  wikis: wikiJourney,
  history: historyJourney,
  planning: planningJourney,
};
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(scenarios).join(',') },
    again: { type: 'boolean', default: false },
    late: { type: 'string', default: '0' },
  },
});
answerLate(Number(options.late));
const suite = createSuite();
for (const name of options.only.split(',')) {
  const scenario = scenarios[name];
  if (!scenario) throw new Error(`no scenario is called ${name}: ${Object.keys(scenarios).join(', ')}`);
  // What one scenario could not do keeps none of the others from running.
  await suite.scenario(`e2e/src/scenarios/${name}.ts`, () => scenario(suite), options.again);
}
// Whatever a failed step left running, the result is known: nothing may keep the run from ending.
process.exit(suite.finish());
