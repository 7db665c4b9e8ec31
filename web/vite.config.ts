/** Build and development server of the page. In development the API and git go to a running instance. */

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * What is loaded together lies together: one file for what every page begins with, and few for what several pages share,
 * instead of a hundred that each cost a request. A group takes what its modules import along, unless one of a higher
 * priority has it. What is shared is cut by how many pages share it: whatever a module imports is shared by at least as
 * many, so no page loads what is rare for the sake of what is common.
 */
const library = (...folders: readonly string[]) =>
  new RegExp(`@mantine[\\/](${folders.join('|').replaceAll('/', '[\\\\/]')})`);
const anything =
  /[\\/]web[\\/]src[\\/](?!ui[\\/](markdown[\\/]|code[\\/]|hidden[\\/]|MarkdownBody)|lib[\\/]markdown[\\/]|features[\\/](editor|comments)[\\/])|node_modules[\\/](@mantine|@tanstack|@tabler|react-number-format)[\\/]/;
/** What many pages have and most first pages have not. */
const ofLists =
  /[\\/]web[\\/]src[\\/](ui[\\/](FilterBar|TitleFilter|Pager|ChoicesOnDemand)|lib[\\/](protections|deploy-keys))/;
const ofPlanning = /[\\/]web[\\/]src[\\/]lib[\\/](epics|members)\./;
const ofBoards = /[\\/]web[\\/]src[\\/]lib[\\/](boards|epic-boards|board-columns)\./;
const oftenUsed = (id: string) => anything.test(id) && ![ofLists, ofPlanning, ofBoards].some((rare) => rare.test(id));
const chunks = [
  { name: 'frame', tags: ['$initial' as const], priority: 10 },
  {
    name: 'fields',
    test: library(
      '(hooks|core/esm/(core|utils/(?!Floating)))/',
      'core/esm/components/(Input|InputBase|TextInput|CloseButton|Anchor|VisuallyHidden|Paper|Alert)/',
      'core/esm/components/(Portal|Overlay|FocusTrap|Accordion|ScrollArea/utils)/',
      'core/esm/components/Combobox/(ComboboxChevron|get-parsed-combobox-data|get-options-lockup)/',
    ),
    minShareCount: 2,
    priority: 9,
  },
  {
    name: 'inputs',
    test: library('core/esm/components/(Textarea|Checkbox)/', 'core/esm/utils/InlineInput/'),
    minShareCount: 2,
    priority: 9,
  },
  { name: 'switches', test: library('core/esm/components/(Radio|Switch)/'), minShareCount: 2, priority: 9 },
  // Loaded when the first list of choices, dialog or menu is opened, on pages that do not begin with one.
  { name: 'choices', test: library('core/esm/components/(Popover|Combobox|Select|ScrollArea)/'), priority: 8 },
  { name: 'dialogs', test: library('core/esm/components/(Modal|ModalBase)/'), priority: 7 },
  {
    name: 'menus',
    test: library('core/esm/components/(Menu|Tooltip|TagsInput|MultiSelect|Pill|PillsInput)/'),
    priority: 7,
  },
  {
    name: 'markdown',
    test: /node_modules[\\/]dompurify[\\/]|[\\/]web[\\/]src[\\/](ui[\\/](markdown[\\/]|MarkdownBody)|lib[\\/]markdown[\\/])/,
    priority: 6,
  },
  { name: 'common', test: oftenUsed, minShareCount: 8, priority: 5 },
  {
    name: 'lists',
    test: ofLists,
    minShareCount: 2,
    priority: 4,
  },
  { name: 'planning', test: ofPlanning, minShareCount: 2, priority: 4 },
  { name: 'boards', test: ofBoards, minShareCount: 1, priority: 4 },
  {
    // The frame of projects and groups, and small files that a page would ask for one by one.
    name: 'small',
    test: /@tabler[\\/]|[\\/]web[\\/]src[\\/](features[\\/](projects[\\/](Crumbs|ProjectFrame|StarButton)|merge-requests[\\/](RecentPush|recent-push|MergeRequestRow))|lib[\\/](reviews|merge-trains)|features[\\/](pipelines[\\/](words|PipelineMark)|topics[\\/]topics\.module)|ui[\\/]FormError)/,
    minShareCount: 2,
    priority: 7,
  },
  { name: 'deployments', test: /[\\/]lib[\\/]environment/, priority: 8 },
  {
    name: 'files',
    test: /[\\/]web[\\/]src[\\/]features[\\/](files[\\/](?!FileEditor|OutdatedFile|DraftList|CommitFields|useCommit|useDraft)|locks[\\/])/,
    minShareCount: 2,
    priority: 4,
  },
  {
    name: 'code',
    test: /[\\/]web[\\/]src[\\/](ui[\\/](code|hidden)[\\/](?!CodeEditor)|lib[\\/](previews|pictures))/,
    minShareCount: 2,
    priority: 4,
  },
  {
    name: 'review',
    test: /[\\/]web[\\/]src[\\/](features[\\/](comments|editor)[\\/]|ui[\\/]diff[\\/](hunks|line-comments)|lib[\\/](merge-request|status-checks)|features[\\/](merge-requests[\\/](merge-requests\.module|sidebar[\\/](EditInPlace|sidebar\.module))|milestones[\\/]MilestoneLink|commits[\\/]CommitMeta))/,
    minShareCount: 2,
    priority: 3,
  },
  { name: 'diffs', test: /[\\/]web[\\/]src[\\/]ui[\\/]diff[\\/]/, minShareCount: 2, priority: 2 },
  {
    name: 'editing',
    test: /[\\/]web[\\/]src[\\/](features[\\/]files[\\/](FileEditor|OutdatedFile|DraftList|CommitFields|useCommit|useDraft)|lib[\\/](drafts|edits)|ui[\\/]code[\\/]CodeEditor)/,
    minShareCount: 2,
    priority: 1,
  },
];

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
    if (component === undefined) return null;
    return { code: `${code}\nimport '@mantine/core/styles/${component}.layer.css';\n`, map: null };
  },
});

const target = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), stylesWithComponents(), stylesInScripts()],
  build: {
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunks },
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
