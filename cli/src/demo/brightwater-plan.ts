/** What the demo organisation plans: two releases in two-week iterations, most of the first one done. */
import type { Plan, PlannedIssue } from './organisation.ts';

const [billing, portal, firmware] = ['brightwater/billing', 'brightwater/portal', 'brightwater/devices/meter-firmware'];
const [winter, spring] = ['Winter release', 'Spring release'];
const [mail, battery, tariffs] = ['Invoices by email', 'Batteries last ten years', 'Tariffs by volume'];

const issues: readonly PlannedIssue[] = [
  {
    ...{ project: billing, title: 'Send invoices as PDF', labels: ['feature'], weight: 5, assignee: 'priya' },
    ...{ milestone: winter, epic: mail, iteration: 0, created: -54, turns: [-46] },
    comments: [{ author: 'elif', text: 'Customers ask for this **every** week.' }],
  },
  {
    ...{ project: billing, title: 'Remember the address of each customer', labels: ['feature'], weight: 3 },
    ...{ assignee: 'jonas', milestone: winter, epic: mail, iteration: 0, created: -53, turns: [-44] },
  },
  {
    ...{ project: billing, title: 'Totals are off by one cent', labels: ['bug'], weight: 2, assignee: 'jonas' },
    ...{ milestone: winter, iteration: 0, created: -51, turns: [-47, -41, -36] },
    comments: [
      { author: 'elif', text: 'Still wrong for readings above 100 m3, so I reopened it.' },
      { author: 'jonas', text: 'Rounded twice. Fixed, with a test for it.' },
    ],
  },
  {
    ...{ project: firmware, title: 'Measure the current of the radio', weight: 3, assignee: 'tomas' },
    ...{ milestone: winter, epic: battery, iteration: 0, created: -52, turns: [-43] },
  },
  {
    ...{ project: portal, title: 'Show the last twelve readings', labels: ['feature'], weight: 5, assignee: 'priya' },
    ...{ milestone: winter, iteration: 1, created: -45, turns: [-31] },
  },
  {
    ...{ project: billing, title: 'Retry mails that were not accepted', labels: ['feature'], weight: 3 },
    ...{ assignee: 'priya', milestone: winter, epic: mail, iteration: 1, created: -44, turns: [-29] },
  },
  {
    ...{ project: firmware, title: 'Sleep between two pulses', labels: ['feature'], weight: 8, assignee: 'tomas' },
    ...{ milestone: winter, epic: battery, iteration: 1, created: -42, turns: [-28] },
  },
  {
    ...{ project: portal, title: 'Links to the handbook are broken', labels: ['bug'], weight: 1, assignee: 'elif' },
    ...{ milestone: winter, iteration: 1, created: -38, turns: [-37] },
  },
  {
    ...{ project: billing, title: 'Price above 50 m3', labels: ['feature'], weight: 5, assignee: 'jonas' },
    ...{ milestone: winter, epic: tariffs, iteration: 2, created: -33, turns: [-19] },
  },
  {
    ...{ project: portal, title: 'Let customers choose paper or email', labels: ['feature'], weight: 5 },
    ...{ assignee: 'priya', milestone: winter, epic: mail, iteration: 2, created: -32, turns: [-16] },
  },
  {
    ...{ project: firmware, title: 'Clock drifts in the cold', labels: ['bug'], weight: 3, assignee: 'tomas' },
    ...{ milestone: winter, iteration: 2, created: -30, turns: [-21] },
  },
  {
    ...{ project: billing, title: 'Invoices of two meters on one page', labels: ['feature'], weight: 3 },
    ...{ assignee: 'jonas', milestone: spring, iteration: 2, created: -27, turns: [-15] },
  },
  {
    ...{ project: portal, title: 'Compare with the same month last year', labels: ['feature'], weight: 5 },
    ...{ assignee: 'priya', milestone: spring, iteration: 3, created: -18, turns: [-6] },
  },
  {
    ...{ project: firmware, title: 'Send the voltage of the battery', labels: ['feature'], weight: 3 },
    ...{ assignee: 'tomas', milestone: spring, epic: battery, iteration: 3, created: -17, turns: [-4] },
  },
  {
    ...{ project: billing, title: 'Statement of account by year', labels: ['feature'], weight: 3, assignee: 'jonas' },
    ...{ milestone: spring, iteration: 3, created: -16, turns: [-2] },
  },
  {
    ...{ project: billing, title: 'Base price changes in the middle of a month', labels: ['bug', 'doing'], weight: 5 },
    ...{ assignee: 'jonas', milestone: spring, epic: tariffs, iteration: 4, created: -12 },
    comments: [{ author: 'mara', text: 'The council wants both prices on the invoice, by days.' }],
  },
  {
    ...{ project: billing, title: 'Import tariffs from a table', labels: ['feature', 'review'], weight: 3 },
    ...{ assignee: 'priya', milestone: spring, epic: tariffs, iteration: 4, created: -11 },
  },
  {
    ...{ project: portal, title: 'Warn about a leak', labels: ['feature', 'doing'], weight: 8, assignee: 'priya' },
    ...{ milestone: spring, iteration: 4, created: -10 },
  },
  {
    ...{ project: firmware, title: 'Frames are lost near the motorway', labels: ['bug', 'doing'], weight: 5 },
    ...{ assignee: 'tomas', milestone: spring, iteration: 4, created: -8 },
  },
  {
    ...{ project: portal, title: 'Readable without a mouse', labels: ['feature', 'review'], weight: 3 },
    ...{ assignee: 'elif', milestone: spring, iteration: 4, created: -7 },
  },
  {
    ...{ project: firmware, title: 'Update the firmware by radio', labels: ['feature'], weight: 8 },
    ...{ milestone: spring, epic: battery, iteration: 5, created: -6 },
  },
  {
    ...{ project: billing, title: 'Discount for households with children', labels: ['feature'], weight: 5 },
    ...{ milestone: spring, epic: tariffs, iteration: 5, created: -5 },
  },
  { project: portal, title: 'Print view of the readings', labels: ['feature'], created: -4 },
  { project: billing, title: 'Total is missing on long invoices', labels: ['bug'], created: -2 },
  { project: billing, title: 'Keep invoices for ten years', weight: 2, created: -1 },
];

export const brightwaterPlan: Plan = {
  group: 'brightwater',
  planner: 'mara',
  labels: [
    { name: 'bug', color: '#d9534f', description: 'Something that does not work as it should' },
    { name: 'feature', color: '#428bca', description: 'Something new' },
    { name: 'doing', color: '#5cb85c', description: 'Somebody works on it' },
    { name: 'review', color: '#8e44ad', description: 'Waits for a second pair of eyes' },
  ],
  milestones: [
    { title: winter, description: 'Invoices by email, and meters that sleep.', from: -56, to: -14, closed: true },
    { title: spring, description: 'Tariffs by volume, and a portal that warns.', from: -28, to: 21 },
  ],
  iterations: [
    { from: -56, to: -43 },
    { from: -42, to: -29 },
    { from: -28, to: -15 },
    { from: -14, to: -1 },
    { from: 0, to: 13 },
    { from: 14, to: 27 },
  ],
  epics: [
    { title: 'Less paper', description: 'Everything that is printed today.', labels: ['feature'], from: -56, to: 60 },
    {
      ...{ title: mail, description: 'Invoices leave the house as mails.', labels: ['feature', 'review'] },
      ...{ parent: 'Less paper', from: -56, to: -10 },
    },
    { title: battery, description: 'Nobody wants to open a meter.', labels: ['doing'], from: -52, to: 35 },
    { title: tariffs, description: 'Who uses more pays more.', labels: ['feature', 'doing'], from: -33, to: 21 },
  ],
  issues,
  columns: ['doing', 'review'],
  deployed: [billing, portal],
};
