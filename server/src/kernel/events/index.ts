/** What happened, told to whoever asked: facts to consumers, live updates to open pages. */
export { createDelivery, type Delivery, type DeliveryOptions, type FactConsumer } from './delivery.ts';
export { type EventStreamOptions, writeEventStream } from './event-stream.ts';
export { emit, type Fact, type NewFact } from './facts.queries.ts';
export { createLive, type Live, publish } from './live.ts';
