/** A rendered document where most pages have none: what shows it comes with the first one. */
import { type ComponentProps, lazy, Suspense } from 'react';

const load = () => import('./MarkdownBody.tsx');
const Body = lazy(async () => ({ default: (await load()).MarkdownBody }));

const Preview = lazy(async () => ({ default: (await load()).MarkdownPreview }));

/** For a document that will be there soon. When that fails, showing it says so. */
export const fetchMarkdown = () => void load().catch(() => undefined);

export function MarkdownOnDemand(props: ComponentProps<typeof Body>) {
  return (
    <Suspense fallback={null}>
      <Body {...props} />
    </Suspense>
  );
}

/** A text that is being written, as it will be. */
export function PreviewOnDemand(props: ComponentProps<typeof Preview>) {
  return (
    <Suspense fallback={null}>
      <Preview {...props} />
    </Suspense>
  );
}
