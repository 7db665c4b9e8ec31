/** What the library's styles have in common. Those of its components come with the components (`vite.config.ts`). */
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/global.layer.css';

// While developing, the library is bundled before our plugins see it.
if (import.meta.env.DEV) await import('@mantine/core/styles.layer.css');
