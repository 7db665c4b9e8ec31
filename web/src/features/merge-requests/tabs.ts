/** The tabs of a merge request that most visits do not open, loaded with their first visit. */
import { lazyRouteComponent } from '@tanstack/react-router';

export const ChangesTab = lazyRouteComponent(() => import('./changes/ChangesTab.tsx'), 'ChangesTab');
export const ConflictsTab = lazyRouteComponent(() => import('./conflicts/ConflictsTab.tsx'), 'ConflictsTab');
