/** What stands below the header of a merge request, each loaded with its first visit. */
import { lazyRouteComponent } from '@tanstack/react-router';

export const OverviewTab = lazyRouteComponent(() => import('./MergeRequestOverview.tsx'), 'MergeRequestOverview');
export const ListTab = lazyRouteComponent(() => import('./MergeRequestTabs.tsx'), 'ListTab');
export const ChangesTab = lazyRouteComponent(() => import('./changes/ChangesTab.tsx'), 'ChangesTab');
export const ConflictsTab = lazyRouteComponent(() => import('./conflicts/ConflictsTab.tsx'), 'ConflictsTab');
