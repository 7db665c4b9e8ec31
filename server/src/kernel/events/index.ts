/** What happened, told to whoever asked: facts to consumers, live updates to open pages. */
export { createDelivery, type Delivery, type FactConsumer } from './delivery.ts';
export { writeEventStream } from './event-stream.ts';
export { emit, type Fact } from './facts.queries.ts';
export { createLive, type Live, publish } from './live.ts';
