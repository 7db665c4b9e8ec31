/** Who hears of things. */
export { isSubscribed, setCommitSubscribed, setSubscribed, subscriptionTo } from './subscriptions.queries.ts';
export { subscriptionRoutes } from './subscriptions.routes.ts';
