/** Webhooks: what is told of facts, and what hooks are tried with. Hooks themselves, and calling them, are of namespaces. */
export { type WebhookDependencies, webhookConsumer } from './consumer.ts';
export { hookRepository } from './repository.ts';
export { webhookSamples } from './samples.ts';
