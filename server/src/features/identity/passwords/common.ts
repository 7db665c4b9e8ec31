/** Passwords that are guessed first: well-known ones, and those made of the account's own names. */

// Of eight characters and more, because shorter ones are refused by their length; compared in lower case without what
// people put around them.
const wellKnown = new Set(
  `0123456789 1122334455 1234554321 123123123 123321123 12341234 12344321 12345678 123456789 1234567890 1234567891
   12345678910 123456987 123456abc 1234abcd 123654789 123qweasd 123qwe123 147258369 159357159 159753456 1a2b3c4d
   1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20002000 2wsxzaq1 3rjs1la7qe 741852963 76543210 77777777
   78945612 789456123 87654321 88888888 963852741 987654321 9876543210 99999999 00000000 11111111 22222222 33333333
   44444444 55555555 66666666 aa123456 aaaaaaaa abc12345 abcabc123 abcd1234 abcd12345 abcdefgh abcdefg1 access14
   administrator adminadmin admin123 admin1234 admin12345 administrator1 alexander anything asdasdasd asdf1234
   asdfasdf asdfghjk asdfghjkl asdfjkl; asd123asd atlantis babygirl baseball baseball1 basketball batman123 benjamin
   bismillah blahblah butterfly caroline changeme changeme1 changeme123 changethis charlie1 cheesecake chocolate
   christian christine christopher cocacola college1 computer computer1 corvette courtney creative danielle default1
   defaultpassword dolphins dragon123 dragonball elephant elizabeth everton1 facebook fernando fishing1 football
   football1 forever1 franklin freedom1 friendship garfield gateway1 godzilla goodluck hahahaha hardcore hello123
   helloworld hellohello hello1234 honey123 iloveyou iloveyou1 iloveyou2 iloveyou! infinity internet jackass1
   jennifer jessica1 jonathan jordan23 justin123 kawasaki kimberly klaster1 letmein1 letmein123 letmeinnow liverpool
   liverpool1 lovelove loveyou1 lovely12 marlboro marseille maverick mercedes metallica michael1 michelle midnight
   millrace millrace1 millrace123 mississippi mohammed monkey12 monkey123 mustang1 myspace1 mypassword newpassword
   nicholas nintendo nothing1 november p4ssw0rd p4ssword pa55w0rd pa55word pa$$w0rd pa$$word p@55w0rd p@ssw0rd
   p@ssword panthers pass1234 pass12345 passpass passport passw0rd password password! password0 password01 password1
   password11 password12 password123 password1234 password12345 password2 password3 password9 passwordpassword
   patricia pokemon1 portugal precious princess princess1 private1 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qazwsxed
   qazwsxedc qazwsx123 qqqqqqqq qwe123456 qweasdzxc qweqweqwe qwer1234 qwerasdf qwerqwer qwert123 qwert12345 qwerty11
   qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui qwertyuiop qwertyqwerty raspberry rainbow1 rockstar
   root1234 rootroot samantha samsung1 scorpion secret123 secretsecret septembe september sebastian serenity shadow12
   shadow123 silver12 sl33ping slipknot snickers softball spiderman spring2024 spring2025 stardust starwars starwars1
   steelers stephanie summer2024 summer2025 summer123 sunshine sunshine1 superman superman1 swordfish
   testtest test1234 test12345 testing1 testing123 testpassword therock1 thunder1 thunderbird tinkerbell titanic1
   tottenham trustno1 trustnoone undertaker unicorn1 valentina valentine vanessa1 veronica victoria warcraft welcome1
   welcome12 welcome123 whatever whatever1 williams windows1 winter2024 winter2025 wolverine wonderful xxxxxxxx
   yellow12 zaq12wsx zaq1xsw2 zaq1zaq1 zxcvbnm1 zxcvbnm123 zxcvbnma zxcvbnmz zxczxczxc zzzzzzzz`.split(/\s+/),
);

/** The shortest part of a name whose appearance counts; shorter ones are in many words. */
const shortestName = 4;

function partsOf(name: string): string[] {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [name.toLowerCase(), ...words].filter((part) => part.length >= shortestName);
}

/**
 * Whether a password is among the first that somebody would try: a well-known one, also with decoration around it, one
 * repeated sign, or mostly one of the account's names.
 */
export function isCommonPassword(password: string, names: readonly string[]): boolean {
  const text = password.toLowerCase();
  const core = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  if (wellKnown.has(text) || wellKnown.has(core)) return true;
  if (new Set(text).size === 1) return true;
  return names.flatMap(partsOf).some((part) => text.includes(part) && text.length - part.length < shortestName);
}
