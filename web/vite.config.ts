/** Build and development server of the page. In development the API and git go to a running instance. */

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * What is loaded together lies together: one file for what every page begins with, and few for what
 * several pages share, instead of a hundred that each cost a request. What one page alone needs stays with it.
 * A group takes what its modules import along, unless one of a higher priority has it: that of the settings comes last,
 * or every page would load it for the parts that it shares with them.
 */
const chunks = [
  { name: 'frame', tags: ['$initial' as const], priority: 5 },
  {
    name: 'markdown',
    test: /node_modules[\\/]dompurify[\\/]|[\\/]web[\\/]src[\\/](ui|lib)[\\/]markdown[\\/]/,
    priority: 4,
  },
  {
    name: 'parts',
    test: /node_modules[\\/](@mantine|@tanstack|@tabler)[\\/]/,
    minShareCount: 3,
    priority: 3,
  },
  {
    name: 'shared',
    test: /[\\/]web[\\/]src[\\/](?!features[\\/](account|applications|audit|deploy-keys|hooks|protections|push-rules|service-accounts|tokens)[\\/]|lib[\\/](hooks|integrations|search|overview|backups|imports)\.ts)/,
    minShareCount: 3,
    priority: 2,
  },
  {
    name: 'merge-requests',
    test: /[\\/]web[\\/]src[\\/](features[\\/]merge-requests[\\/]|lib[\\/](status-checks|merge-request))/,
    minShareCount: 2,
    priority: 1,
  },
  {
    name: 'settings',
    test: /[\\/]web[\\/]src[\\/]features[\\/](account|applications|audit|deploy-keys|hooks|protections|push-rules|service-accounts|tokens)[\\/]/,
    minShareCount: 2,
    priority: 1,
  },
];

const target = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    sourcemap: false,
    // One file of styles: a page would ask for up to eight small ones.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: chunks },
      },
    },
  },
  worker: { format: 'es' },
  server: { port: 5173, proxy: { '/api': target, '/-/session': target, '/-/readiness': target } },
});
