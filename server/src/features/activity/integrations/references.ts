/** Issues of trackers elsewhere that texts name, by the pattern of the tracker of their project. */
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import type { ExternalPlaces } from '../../namespaces/index.ts';

export const externalIssueReferences = (places: ExternalPlaces): ReferenceKind => ({
  kind: 'external_issue',
  within: 'project',
  async find(values, { place }) {
    const { tracker } = await places.of(place);
    if (tracker === null) return new Map();
    return new Map(
      values.flatMap((value) => {
        const issue = tracker.issueNamed(value);
        const target = { path: issue?.url ?? '', title: `Issue in ${tracker.title}`, elsewhere: true } as const;
        return issue ? [[value, target] as const] : [];
      }),
    );
  },
});
