/** Tokens of the page: one accent, one text size, states by colour and word. Light and dark from the same names. */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const race: MantineColorsTuple = [
  '#e6f6f7',
  '#cdeaec',
  '#9dd4d8',
  '#69bdc3',
  '#40a9b1',
  '#259aa3',
  '#0b6e78',
  '#0a626b',
  '#06525a',
  '#03434a',
];

/** What is dangerous or refused: the same step as the token of failure, so that white words on it can be read. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#fbe3e1',
  '#f5bcb8',
  '#f5a8a2',
  '#ff8f86',
  '#d3443b',
  '#b3261e',
  '#9c2019',
  '#861a14',
  '#6f140f',
];

/** Surfaces and text of components in the dark: the same steps as the tokens below. */
const dark: MantineColorsTuple = [
  '#e4eaed',
  '#c3ccd2',
  '#a3b0b8',
  '#7d8b93',
  '#3d4950',
  '#333d43',
  '#1c2327',
  '#14191c',
  '#101416',
  '#0b0e10',
];

export const theme = createTheme({
  primaryColor: 'race',
  respectReducedMotion: true,
  primaryShade: 6,
  autoContrast: true,
  colors: { race, red, dark },
  components: {
    Badge: { defaultProps: { tt: 'none', fw: 500 } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '22px' }, h2: { fontSize: '18px' }, h3: { fontSize: '16px' } },
  },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  defaultRadius: 'sm',
  focusRing: 'auto',
});

export const variables: CSSVariablesResolver = () => ({
  variables: { '--page-width': '1280px', '--row-height': '40px' },
  light: {
    '--mantine-color-dimmed': '#55636b',
    '--mantine-color-placeholder': '#6b7880',
    '--mantine-color-error': '#b3261e',
    '--mr-chosen': '#fff3c9',
    '--mr-bg': '#ffffff',
    '--mr-raised': '#f6f8f9',
    '--mr-border': '#d9dfe3',
    '--mr-text': '#1c2529',
    '--mr-dim': '#55636b',
    '--mr-link': '#0a5f68',
    '--mr-success': '#1a7340',
    '--mr-failed': '#b3261e',
    '--mr-running': '#1659b8',
    '--mr-manual': '#6b4e00',
    '--mr-muted': '#55636b',
    '--mr-added': '#dcf5e3',
    '--mr-removed': '#fbe3e1',
    '--mr-added-strong': '#1a7340',
    '--mr-removed-strong': '#b3261e',
    '--mr-code': '#f6f8f9',
  },
  dark: {
    '--mantine-color-body': '#14191c',
    '--mantine-color-default': '#1c2327',
    '--mantine-color-default-hover': '#232c31',
    '--mantine-color-default-border': '#3d4950',
    '--mantine-color-dimmed': '#a3b0b8',
    '--mantine-color-placeholder': '#8b99a1',
    '--mantine-color-error': '#ff8f86',
    '--mr-chosen': '#3b3413',
    '--mr-bg': '#14191c',
    '--mr-raised': '#1c2327',
    '--mr-border': '#333d43',
    '--mr-text': '#e4eaed',
    '--mr-dim': '#a3b0b8',
    '--mr-link': '#7fd0d8',
    '--mr-success': '#6fd394',
    '--mr-failed': '#ff8f86',
    '--mr-running': '#86b7ff',
    '--mr-manual': '#e6c25a',
    '--mr-muted': '#a3b0b8',
    '--mr-added': '#17351f',
    '--mr-removed': '#43201d',
    '--mr-added-strong': '#6fd394',
    '--mr-removed-strong': '#ff8f86',
    '--mr-code': '#1c2327',
  },
});
