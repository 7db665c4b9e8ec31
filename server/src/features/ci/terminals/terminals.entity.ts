/** A terminal that may be opened, as the API returns it. */
import type { Static } from 'typebox';
import { Count, Entity, Id, ListOf, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const JobTerminalEntity = Entity('JobTerminal', {
  id: Id(),
  job_id: Id(),
  url: Text({ description: 'WebSocket to connect to' }),
  ticket: Text({ description: 'Opens the terminal once: sent as a further subprotocol, `ticket.` before it' }),
  subprotocols: ListOf(Text(), { description: 'One of these is sent besides the ticket' }),
  expires_at: Timestamp({ description: 'Until when the ticket can be used' }),
  max_session_time: Count({ description: 'Seconds after which the terminal is closed; 0 for no limit' }),
});
export type JobTerminalJson = Static<typeof JobTerminalEntity>;
