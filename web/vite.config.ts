/** Build and development server of the page. In development the API and git go to a running instance. */

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const target = 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: { target: 'es2022', sourcemap: false, chunkSizeWarningLimit: 900 },
  worker: { format: 'es' },
  server: { port: 5173, proxy: { '/api': target, '/-/session': target, '/-/readiness': target } },
});
