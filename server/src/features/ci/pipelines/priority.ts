/** Which jobs of a project are given to runners first. */
export const queuePriorities = ['low', 'normal', 'high'] as const;
export type QueuePriority = (typeof queuePriorities)[number];
