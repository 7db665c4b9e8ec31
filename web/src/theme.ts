/** Tokens of the page: one accent, one text size, states by colour and word. Light and dark from the same names. */
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const race: MantineColorsTuple = ['#e6f6f7', '#cdeaec', '#9dd4d8', '#69bdc3', '#40a9b1', '#259aa3', '#0b6e78', '#0a626b', '#06525a', '#03434a'];

export const theme = createTheme({
  primaryColor: 'race',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  colors: { race },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '22px' }, h2: { fontSize: '18px' }, h3: { fontSize: '16px' } } },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  defaultRadius: 'sm',
  focusRing: 'auto',
});

export const variables: CSSVariablesResolver = () => ({
  variables: { '--page-width': '1280px', '--row-height': '40px' },
  light: {
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
