/** Addresses from which people act, where the instance limits how many these may be. */
import type { Migration } from './index.ts';

const userAddresses = `
create table user_addresses (
  user_id bigint not null references users (id) on delete cascade,
  address text not null,
  seen_at timestamptz(3) not null default now(),
  primary key (user_id, address)
);
create index user_addresses_seen on user_addresses (seen_at);
`;

export const userAddressesMigration: Migration = { name: '1093-user-addresses', statements: [userAddresses] };
