/** Starts the page. */
import './mantine-styles.ts';
import './base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './lib/api.ts';
import { holdWhile } from './lib/live.ts';
import { queries } from './lib/queries.ts';
import { router } from './router.tsx';
import { theme, variables } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('the document has no root');
/** What the server refused is on the page, in a sentence; the console is for what nobody expected. */
function onCaughtError(error: unknown): void {
  if (!(error instanceof ApiError)) console.error(error);
}

holdWhile(() => router.state.status === 'pending');

// Whoever has no mouse presses a key first.
document.addEventListener(
  'keydown',
  () => void import('./ui/keepFocus.ts').then(({ keepFocus }) => keepFocus()).catch(() => undefined),
  { once: true },
);

createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'millrace-color-scheme' })}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
