/** Build and development server of the page. In development the API and git go to a running instance. */

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { firstLoads } from './first-loads.ts';
import { runtimeInFirst } from './runtime-in-first.ts';

/**
 * What is loaded together lies together: one file for what every page begins with, and few for what several pages share,
 * instead of a hundred that each cost a request. A group takes what its modules import along, unless one of a higher
 * priority has it. What is shared is cut by how many pages share it: whatever a module imports is shared by at least as
 * many, so no page loads what is rare for the sake of what is common.
 */
const library = (...folders: readonly string[]) =>
  new RegExp(`@mantine[\\/](${folders.join('|').replaceAll('/', '[\\\\/]')})`);
/** Components of the library with the styles that they bring along. */
const components = (...names: readonly string[]) =>
  `core/esm/components/(${names.join('|')})/|core/styles/(${names.join('|')})[A-Za-z]*[.]layer`;
/** Matches what one of these does. */
const any = (...tests: readonly RegExp[]) => new RegExp(tests.map(({ source }) => source).join('|'));
const anything =
  /[\\/]web[\\/]src[\\/](?!ui[\\/](markdown[\\/]|code[\\/]|hidden[\\/]|MarkdownBody)|lib[\\/]markdown[\\/]|features[\\/](editor|comments)[\\/])|node_modules[\\/](@mantine|@tanstack|@tabler|react-number-format)[\\/]/;
/** Icons of few pages, or of what is loaded on demand, stay with what shows them. */
const ofToolbar = /Icon(Bold|Checkbox|Code|Heading|Italic|List|ListNumbers|Paperclip|Quote|Strikethrough)\.mjs/;
const ofFolders = /Icon(CornerLeftUp|Package)\.mjs/;
const commonIcons = new RegExp(
  `@tabler[\\\\/](?!.*(${ofToolbar.source}|${ofFolders.source}|Icon(Key|MoodPlus|PlayerPause|Rss|UserMinus)\\.mjs))`,
);
/** What many pages have and most first pages have not. */
const ofLists =
  /[\\/]web[\\/]src[\\/](features[\\/](merge-requests[\\/](RecentPush|recent-push|MergeRequestRow|ReviewedRow|filter-fields)|pipelines[\\/]PipelineMark|commits[\\/](CommitMeta|LastCommit))|ui[\\/]FeedButton)|IconRss\.mjs/;
const ofIssues =
  /[\\/]web[\\/]src[\\/](lib[\\/](issues|issue-queries)\.|features[\\/]issues[\\/](issues\.module|ListedIssueRow|filter-fields))/;
/** Whom a rule names. */
const ofRules = /[\\/]web[\\/]src[\\/]lib[\\/](protections|deploy-keys)\./;
const ofHistory = /[\\/]web[\\/]src[\\/](lib[\\/]history\.|features[\\/]pipelines[\\/]ExternalStatuses)/;
const ofPlanning =
  /[\\/]web[\\/]src[\\/](lib[\\/](epics|labels|members)\.|features[\\/](iterations[\\/]Days|epics[\\/]EpicLink)\.)/;
const ofBoards = /[\\/]web[\\/]src[\\/]lib[\\/](boards|epic-boards|board-columns)\./;
/** Its lists of choices would come along with the first page of everything. */
const ofForms =
  /[\\/]web[\\/]src[\\/](features[\\/](merge-requests[\\/]sidebar[\\/]PeoplePicker|milestones[\\/]PlanFields|editor[\\/]TemplateChoice)|lib[\\/]templates\.)/;
/** Of the account of a person, as they and administrators see it. */
const ofAccounts =
  /[\\/]web[\\/]src[\\/]features[\\/](account[\\/]NewSshKey|admin[\\/]Marks|members[\\/]levels|profile[\\/](Facts|GpgKeyList|SshKeyList|profile\.module))/;
const rarely = [ofLists, ofIssues, ofRules, ofHistory, ofPlanning, ofBoards, ofForms, ofAccounts];
const oftenUsed = (id: string) => anything.test(id) && !rarely.some((rare) => rare.test(id));
const chunks = [
  { name: 'frame', tags: ['$initial' as const], priority: 10 },
  // What menus, dialogs and lists of choices have, and nothing else: loaded when the first of them is opened.
  {
    name: 'overlays',
    test: any(
      /node_modules[\\/](react-remove-scroll[\w-]*|react-style-singleton|use-sidecar|use-callback-ref|aria-hidden|tslib|get-nonce)[\\/]/,
      library(
        'hooks/esm/(use-focus-return|use-focus-trap)/',
        components('Portal', 'Overlay', 'FocusTrap'),
        'core/esm/core/utils/(get-single-element-child|is-element|get-default-z-index)/',
      ),
    ),
    priority: 11,
  },
  // Of these, what a dialog has not.
  {
    name: 'choices',
    test: any(
      /node_modules[\\/](@floating-ui|tabbable)[\\/]/,
      library(
        'hooks/esm/(use-click-outside|use-eye-dropper|use-long-press|use-previous)/',
        'core/esm/core/utils/(find-element-in-shadow-dom|get-context-item-index|get-ref-prop|create-event-handler|close-on-escape)/',
        'core/esm/utils/Floating/',
        components('Popover', 'Select'),
        'core/(esm/components/ScrollArea/(?!utils/to-int)|styles/ScrollArea)',
        'core/esm/components/Combobox/(?!ComboboxChevron|get-parsed-combobox-data|get-options-lockup|Combobox.module)',
        'core/styles/Combobox[.]layer[.]css$',
      ),
    ),
    priority: 10,
  },
  {
    // Fields, and small files that a page would ask for one by one. None of them needs what is common.
    name: 'fields',
    test: any(
      library(
        '(hooks|core/esm/(core|utils/(?!InlineInput|InputsGroupFieldset)))/',
        components('Input', 'InputBase', 'TextInput', 'CloseButton', 'Anchor', 'VisuallyHidden', 'Paper'),
        'core/esm/components/(ScrollArea/utils/to-int|Checkbox/CheckIcon)',
        'core/esm/components/Combobox/(ComboboxChevron|get-parsed-combobox-data|get-options-lockup|Combobox.module)',
        'core/styles/Combobox[.]layer[.]css[?]',
      ),
      commonIcons,
      /[\\/]web[\\/]src[\\/](lib[\\/]((comments|planning|reviews)\.|markdown[\\/]tasks)|features[\\/](pipelines[\\/](statuses|pipelines\.module)|topics[\\/]topics\.module|milestones[\\/]milestones\.module|commits[\\/]commits\.module|comments[\\/](usePlace|comments\.module)|(account[\\/]account|settings[\\/]settings)\.module)|ui[\\/](ui\.module|useReturnedFocus|FormError|RefBadge|forms|LabelChip|label-chip|diff[\\/]view-mode))/,
    ),
    minShareCount: 2,
    priority: 9,
  },
  {
    name: 'inputs',
    test: library(components('Checkbox', 'Textarea'), 'core/(esm/utils|styles)/(InlineInput|InputsGroupFieldset)'),
    minShareCount: 2,
    priority: 8,
  },
  {
    name: 'numbers',
    test: any(/react-number-format[\\/]/, library(components('NumberInput'))),
    minShareCount: 2,
    priority: 8,
  },
  { name: 'alerts', test: library(components('Alert')), minShareCount: 2, priority: 8 },
  { name: 'passwords', test: library(components('PasswordInput')), minShareCount: 2, priority: 8 },
  { name: 'switches', test: library(components('Radio', 'Switch')), minShareCount: 2, priority: 8 },
  { name: 'dialogs', test: library(components('Modal', 'ModalBase')), priority: 7 },
  {
    name: 'menus',
    test: library(components('Menu', 'Tooltip', 'TagsInput', 'MultiSelect', 'Pill', 'PillsInput')),
    priority: 7,
  },
  {
    name: 'markdown',
    test: /node_modules[\\/]dompurify[\\/]|[\\/]web[\\/]src[\\/](ui[\\/](markdown[\\/](?!colours|diagram|formulas)|MarkdownBody)|lib[\\/]markdown[\\/](?!formula-limits))/,
    priority: 6,
  },
  { name: 'common', test: oftenUsed, minShareCount: 16, priority: 5 },
  {
    name: 'lists',
    test: ofLists,
    minShareCount: 2,
    priority: 4,
  },
  { name: 'issues', test: ofIssues, minShareCount: 2, priority: 4 },
  { name: 'planning', test: ofPlanning, minShareCount: 2, priority: 4 },
  { name: 'boards', test: ofBoards, minShareCount: 1, priority: 4 },
  { name: 'rules', test: ofRules, minShareCount: 2, priority: 4 },
  { name: 'history', test: ofHistory, minShareCount: 2, priority: 4 },
  { name: 'people', test: ofForms, minShareCount: 2, priority: 9 },
  { name: 'accounts', test: ofAccounts, minShareCount: 2, priority: 8 },
  { name: 'deployments', test: /[\\/]lib[\\/]environment|merge-requests[\\/]DeploymentRows/, priority: 8 },
  {
    name: 'files',
    test: any(
      /[\\/]web[\\/]src[\\/]features[\\/](files[\\/](?!FileEditor|OutdatedFile|DraftList|CommitFields|useCommit|useDraft)|locks[\\/])|[\\/]web[\\/]src[\\/]lib[\\/](edits|locks)\.|[\\/](queriesObserver|useQueries)\.js/,
      ofFolders,
    ),
    minShareCount: 2,
    priority: 4,
  },
  {
    name: 'code',
    test: /[\\/]web[\\/]src[\\/](ui[\\/](code|hidden)[\\/](?!CodeEditor|CodeMirror|HiddenNote|editor\.module)|lib[\\/](previews|pictures|workers))/,
    minShareCount: 2,
    priority: 7,
  },
  // The field for Markdown, and that for comments.
  {
    name: 'writing',
    test: any(
      /[\\/]web[\\/]src[\\/]features[\\/](editor[\\/](?!candidates|emoji|commands|TemplateChoice)|comments[\\/](CommentForm|suggestions|told)\.)/,
      ofToolbar,
    ),
    minShareCount: 1,
    priority: 8,
  },
  {
    name: 'review',
    test: /[\\/]web[\\/]src[\\/](features[\\/]comments[\\/](?!Reactions|reactions|Suggestions)|ui[\\/]diff[\\/](hunks|line-comments)|lib[\\/](approvals|merge-request-people|merge-trains|status-checks)\.|features[\\/]milestones[\\/]MilestoneLink|features[\\/]merge-requests[\\/](merge-requests\.module|sidebar[\\/](EditInPlace|sidebar\.module)))/,
    minShareCount: 2,
    priority: 3,
  },
  { name: 'diffs', test: /[\\/]web[\\/]src[\\/]ui[\\/]diff[\\/]/, minShareCount: 2, priority: 2 },
  {
    name: 'editing',
    test: /[\\/]web[\\/]src[\\/](features[\\/]files[\\/](FileEditor|OutdatedFile|DraftList|CommitFields|useCommit|useDraft)|lib[\\/]drafts)/,
    minShareCount: 2,
    priority: 1,
  },
];

/**
 * Files that need each other would begin with half of what they need. A group that causes that is to be cut otherwise:
 * what it has must not be needed by what it needs.
 */
const inOrder = (): Plugin => ({
  name: 'in-order',
  generateBundle(_options, bundle) {
    const done = new Set<string>();
    const visit = (name: string, path: readonly string[]): void => {
      if (path.includes(name)) this.error(`files of the page need each other: ${[...path, name].join(' > ')}`);
      const chunk = bundle[name];
      if (done.has(name) || chunk?.type !== 'chunk') return;
      for (const each of chunk.imports) visit(each, [...path, name]);
      done.add(name);
    };
    for (const name of Object.keys(bundle)) visit(name, []);
  },
});

/**
 * Puts the styles of every file but the first into its script: a page brings its own ones along, and asks for none of
 * the others', nor for a file of them. The first file's are a sheet of their own, which the browser asks for at once.
 */
const stylesInScripts = (): Plugin => ({
  name: 'styles-in-scripts',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || chunk.isEntry) continue;
      const names = chunk.viteMetadata?.importedCss;
      for (const name of names ?? []) {
        const sheet = bundle[name];
        if (sheet?.type !== 'asset') throw new Error(`${name} is no style sheet of this build`);
        const text = JSON.stringify(String(sheet.source).trim());
        chunk.code = `document.head.append(Object.assign(document.createElement("style"),{textContent:${text}}));${chunk.code}`;
        delete bundle[name];
      }
      // What imports it would fetch the sheets before it.
      names?.clear();
    }
  },
});

/**
 * The names of a component's classes bring its styles along, so that a page loads those of its own components. They are
 * after those of the components that it is made of, and in a layer: ours win over them whenever they arrive.
 */
const stylesWithComponents = (): Plugin => ({
  name: 'styles-with-components',
  apply: 'build',
  transform(code, id) {
    const component = /@mantine[\\/]core[\\/]esm[\\/].*[\\/](\w+)\.module\.mjs$/.exec(id)?.[1];
    if (component === undefined || component === 'Combobox') return null;
    return { code: `${code}\nimport '@mantine/core/styles/${component}.layer.css';\n`, map: null };
  },
});

/** The arrow of a plain field of choices brings its own styles along, and not those of the lists that open below other fields. */
const arrowAlone = (): Plugin => ({
  name: 'arrow-alone',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (/@mantine[\\/]core[\\/]styles[\\/]Combobox\.layer\.css\?arrow$/.test(id)) {
      const arrow = /\/\* -+ Combobox\.Chevron -+ \*\/[^/]+/.exec(code)?.[0];
      if (!arrow) this.error('the styles of the library name the arrow of choices in another way');
      return { code: `@layer mantine {${arrow}}`, map: null };
    }
    const [, part] =
      /@mantine[\\/]core[\\/]esm[\\/]components[\\/]Combobox[\\/](Combobox|Combobox\.module)\.mjs$/.exec(id) ?? [];
    if (part === undefined) return null;
    const styles = `@mantine/core/styles/Combobox.layer.css${part === 'Combobox' ? '' : '?arrow'}`;
    return { code: `${code}\nimport '${styles}';\n`, map: null };
  },
});

/**
 * A dialog asks whether it scrolls in a special area, which none does here: for that question alone it would bring the area
 * along, and what places menus, 20 KB.
 */
const dialogsAlone = (): Plugin => ({
  name: 'dialogs-alone',
  apply: 'build',
  transform(code, id) {
    if (!/@mantine[\\/]core[\\/]esm[\\/]components[\\/]Modal[\\/]ModalRoot\.mjs$/.test(id)) return null;
    const question = 'scrollAreaComponent === ScrollArea.Autosize';
    if (!code.includes(question)) this.error('dialogs of the library ask for their scroll area in another way');
    return { code: code.replace(question, 'false').replace(/import \{ ScrollArea \} from [^;]+;/, ''), map: null };
  },
});

/** Parts that components of the library carry along for whoever names them through the component. Nothing here does. */
const unusedParts: Readonly<Record<string, readonly string[]>> = {
  ActionIcon: ['Group', 'GroupSection'],
  Button: ['Group', 'GroupSection'],
  Checkbox: ['Card', 'Indicator'],
};

/** Leaves them out, with their styles. */
const withoutUnusedParts = (): Plugin => ({
  name: 'without-unused-parts',
  apply: 'build',
  transform(code, id) {
    const component = /@mantine[\\/]core[\\/]esm[\\/]components[\\/](\w+)[\\/]\1\.mjs$/.exec(id)?.[1] ?? '';
    const parts = unusedParts[component];
    if (!parts) return null;
    let left = code;
    for (const part of parts) {
      const carried = new RegExp(`^${component}\\.${part} = (\\w+);\\n`, 'm');
      if (!carried.test(left)) this.error(`${component} of the library carries no ${part}`);
      left = left.replace(carried, '');
    }
    return { code: left, map: null };
  },
});

/**
 * What the first file names beside a page that it loads: files that many pages share, which the browser would otherwise learn
 * of a round trip later. Not the page itself, not what every page has, and not what few pages share: each name is sent
 * with the first file of every page.
 */
const sharedByMany = new Set(chunks.map(({ name }) => name).filter((name) => name !== 'fields' && name !== 'common'));
const namedBeside = (dependency: string): boolean =>
  sharedByMany.has(dependency.replace(/^assets\/|-[\w-]{7}\.js$/g, ''));

const target = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [
    react(),
    stylesWithComponents(),
    arrowAlone(),
    dialogsAlone(),
    withoutUnusedParts(),
    inOrder(),
    runtimeInFirst(),
    stylesInScripts(),
    firstLoads(),
  ],
  build: {
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false, resolveDependencies: (_file, dependencies) => dependencies.filter(namedBeside) },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunks, includeDependenciesRecursively: false },
        // The first file of every page names all others: what tells versions of one apart is kept short.
        chunkFileNames: 'assets/[name]-[hash:7].js',
      },
    },
  },
  worker: {
    format: 'es',
    // The parser has an `eval` for grammars that ask for it. None does, and the worker's policy forbids it.
    rolldownOptions: { checks: { eval: false } },
  },
  server: { port: 5173, proxy: { '/api': target, '/-/session': target, '/-/readiness': target } },
});
