/**
 * `npm run e2e`: the built product from a clean data directory, real git, real clients, a real browser. `--only groups,file-pages`
 * runs some scenarios, `--late 800` lets answers come late by chance, which finds steps that only work when all is quick,
 * `--lanes 1` one scenario after the other instead of two at a time. `--sampled` takes the main journey and, from run to run, other
 * scenarios: those of the part that SWEEP_SEED names, or all with SWEEPS=whole. Without it everything is taken.
 */
import { parseArgs } from 'node:util';
import { partOf, sweepParts, sweepsOf } from '../../scripts/lib/sweeps.ts';
import { accountJourney } from './scenarios/accounts.ts';
import { adminReportsJourney } from './scenarios/admin-reports.ts';
import { administrationJourney } from './scenarios/administration.ts';
import { allPagesJourney } from './scenarios/all-pages.ts';
import { attackersJourney } from './scenarios/attackers.ts';
import { boardRaceJourney } from './scenarios/board-races.ts';
import { browserJourney } from './scenarios/browser.ts';
import { catalogJourney } from './scenarios/catalog.ts';
import { clients } from './scenarios/clients.ts';
import { documentsJourney } from './scenarios/documents.ts';
import { editorJourney } from './scenarios/editor.ts';
import { filePagesJourney } from './scenarios/file-pages.ts';
import { membersJourney } from './scenarios/group-members.ts';
import { groupJourney } from './scenarios/groups.ts';
import { historyJourney } from './scenarios/history.ts';
import { issuesJourney } from './scenarios/issues.ts';
import { jobTerminalsJourney } from './scenarios/job-terminals.ts';
import { journey } from './scenarios/journey.ts';
import { keyboardJourney } from './scenarios/keyboard.ts';
import { lfsJourney } from './scenarios/lfs.ts';
import { liveReviewJourney } from './scenarios/live-reviews.ts';
import { mergeTrainsJourney } from './scenarios/merge-trains.ts';
import { oauthJourney } from './scenarios/oauth.ts';
import { ownAccountJourney } from './scenarios/own-account.ts';
import { ownPipelineJourney } from './scenarios/own-pipeline.ts';
import { pageAddressesJourney } from './scenarios/page-addresses.ts';
import { pageDangersJourney } from './scenarios/page-dangers.ts';
import { pageErrorsJourney } from './scenarios/page-errors.ts';
import { pageLayoutJourney } from './scenarios/page-layout.ts';
import { pageLoadsJourney } from './scenarios/page-loads.ts';
import { pageOverviewsJourney } from './scenarios/page-overviews.ts';
import { parameters } from './scenarios/parameters.ts';
import { pipelinePagesJourney } from './scenarios/pipeline-pages.ts';
import { planningJourney } from './scenarios/planning.ts';
import { projectJourney } from './scenarios/projects.ts';
import { protectionJourney } from './scenarios/protections.ts';
import { referenceJourney } from './scenarios/reference.ts';
import { repositoryPagesJourney } from './scenarios/repository-pages.ts';
import { reviewJourney } from './scenarios/reviews.ts';
import { searchJourney } from './scenarios/search.ts';
import { settingsJourney } from './scenarios/settings-pages.ts';
import { slowNetworkJourney } from './scenarios/slow-network.ts';
import { snippetsJourney } from './scenarios/snippets.ts';
import { sshJourney } from './scenarios/ssh.ts';
import { todosJourney } from './scenarios/todos.ts';
import { transfersJourney } from './scenarios/transfers.ts';
import { twoFactorJourney } from './scenarios/two-factor.ts';
import { wikiJourney } from './scenarios/wikis.ts';
import { answerLate } from './support/browser.ts';
import { rootPassword, rootToken, startInstance } from './support/instance.ts';
import { createSuite, finish, type Suite } from './support/suite.ts';

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

/** By the files that they are in. The longest come first: one that begins last keeps one of two cores idle. */
const scenarios: Record<string, (suite: Suite) => Promise<void>> = {
  journey: mainJourney,
  'own-pipeline': ownPipelineJourney,
  'slow-network': slowNetworkJourney,
  administration: administrationJourney,
  'admin-reports': adminReportsJourney,
  'two-factor': twoFactorJourney,
  oauth: oauthJourney,
  accounts: accountJourney,
  'own-account': ownAccountJourney,
  projects: projectJourney,
  groups: groupJourney,
  'group-members': membersJourney,
  'settings-pages': settingsJourney,
  todos: todosJourney,
  editor: editorJourney,
  transfers: transfersJourney,
  ssh: sshJourney,
  lfs: lfsJourney,
  protections: protectionJourney,
  'repository-pages': repositoryPagesJourney,
  'file-pages': filePagesJourney,
  documents: documentsJourney,
  'all-pages': allPagesJourney,
  'page-addresses': pageAddressesJourney,
  'page-dangers': pageDangersJourney,
  'page-errors': pageErrorsJourney,
  'page-layout': pageLayoutJourney,
  'page-loads': pageLoadsJourney,
  'page-overviews': pageOverviewsJourney,
  issues: issuesJourney,
  reviews: reviewJourney,
  keyboard: keyboardJourney,
  'live-reviews': liveReviewJourney,
  'merge-trains': mergeTrainsJourney,
  search: searchJourney,
  snippets: snippetsJourney,
  attackers: attackersJourney,
  wikis: wikiJourney,
  history: historyJourney,
  planning: planningJourney,
  'board-races': boardRaceJourney,
  'pipeline-pages': pipelinePagesJourney,
  'job-terminals': jobTerminalsJourney,
  catalog: catalogJourney,
};
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    sampled: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    late: { type: 'string', default: '0' },
    lanes: { type: 'string', default: '2' },
  },
});
answerLate(Number(options.late));

/**
 * The main journey is the product as a whole: it is never left out. The repository's own pipeline does once more, in jobs, what
 * `.ci/run` does before, for minutes: it is taken with everything only.
 */
function drawn(): string[] {
  const sweeps = sweepsOf(process.env, Date.now);
  const names = Object.keys(scenarios);
  if (sweeps.whole) return names;
  return names.filter(
    (name, index) => name === 'journey' || (name !== 'own-pipeline' && index % sweepParts === partOf(sweeps)),
  );
}
// What scenarios draw themselves is whole as well.
if (!options.sampled) process.env.SWEEPS ??= 'whole';
const chosen = options.only?.split(',') ?? (options.sampled ? drawn() : Object.keys(scenarios));
for (const name of chosen)
  if (!(name in scenarios)) throw new Error(`no scenario is called ${name}: ${Object.keys(scenarios).join(', ')}`);

/** Takes the next scenario until none is left: each has an instance of its own, and one alone leaves half of two cores idle. */
async function lane(): Promise<Suite> {
  const suite = createSuite();
  for (let name = chosen.shift(); name !== undefined; name = chosen.shift()) {
    const scenario = scenarios[name];
    // What one scenario could not do keeps none of the others from running.
    if (scenario) await suite.scenario(`e2e/src/scenarios/${name}.ts`, () => scenario(suite), options.again);
  }
  return suite;
}
const lanes = await Promise.all(Array.from({ length: Number(options.lanes) }, lane));
// Whatever a failed step left running, the result is known: nothing may keep the run from ending.
process.exit(
  finish(
    'e2e',
    lanes.flatMap(({ results }) => results),
  ),
);
