/** What happened, reported to whoever is interested: facts to consumers, live updates to open pages. */
export * from './catalogue/index.ts';
export { type DeliveryLoaders, type FactConsumer, type FactDelivery, on, onMany } from './consumer.ts';
export { createDelivery, type Delivery } from './delivery.ts';
export { writeEventStream } from './event-stream.ts';
export { defineFact, type Fact, type FactDefinition, type PayloadOf, toInstant } from './fact.ts';
export { recordFact } from './facts.queries.ts';
export { createLive, type Live, publish } from './live.ts';
export { announcing, wake } from './outbox.queries.ts';
