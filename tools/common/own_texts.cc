#include "tools/common/own_texts.h"

namespace rondo::tools {
namespace {

constexpr std::string_view kProse =
    R"(The ferry left the island at six in the morning, and by then the harbour master had already been up for two hours. Her name was Ines Halloran, and she kept a ledger in which every boat that came or went had a line of its own: the hour, the wind, the number of people on board, and a remark. Most remarks were short. "Late." "Two goats." "Paid in fish." When the council offered her a computer for the same purpose she thanked them, put it on the shelf beside the barometer, and went on writing.

That winter the lighthouse on the north point stopped working for the first time in eighty years. Nobody noticed at once, because the fog had been so thick for a week that the beam could not be seen from the village anyway. It was the mail plane's pilot, a patient man called Osei, who asked over the radio whether the light had been moved. Ines walked out along the causeway with a torch and a bag of tools. The lamp itself was whole; what had failed was a relay the size of a thumbnail, green with salt. She cleaned the contacts with vinegar and a scrap of sandpaper, and the motor took up its slow turn again as if nothing had happened.

On the way back she met the schoolteacher, who was collecting shells for a lesson about spirals. They talked about how a snail adds to its house only at the rim, so that the oldest part stays as small as it was when the animal was young. "Like a ledger," said Ines. "You cannot rub out the first page." The teacher wrote that down. Three weeks later a child in the second row drew a snail with columns of figures along its back, and the drawing hung in the harbour office until the paper turned yellow.

Spring brought engineers from the mainland, who measured everything twice. They explained that the light would be replaced by a transmitter, that boats would find their way by numbers, and that the causeway, which was expensive to repair, would no longer be needed. The oldest fisherman, whose hearing was poor, understood that the causeway would be repaired, and stood them all a drink. By the time the mistake was cleared up it would have been impolite to argue, and so the engineers wrote in their report that the community had been consulted and was in favour.

What happened next depends on whom you ask. The engineers say that the first test of the transmitter failed because of a loose connector. The pilot says that his instruments showed the island four miles east of where it lay. Ines says nothing, but the line in her ledger for that day reads: "Fog. All boats home. Light on." It is a fact that nobody ever found the key to the transmitter's hut, and that the lighthouse has since been listed as a monument, which means that it may not be switched off without a permit, which can be had only from the harbour master.

Years afterwards a student came to write a thesis about small harbours. She copied the remarks of four decades into a table and sorted them by frequency. "Late" came first, and "Fog" second. In the forty-first year there was a single entry that she could not explain. It said: "Relay again. Used the spare." There had never been a spare; the model had not been made since before the war. When she asked, Ines opened a drawer and showed her a row of little green boxes, each with a date on its lid in the same handwriting, going back further than either of them could have known. The student left that out of her thesis, because she could not think of a way to cite it, but she tells the story to anyone who will listen, and it is a little different every time.
)";

constexpr std::string_view kScripts =
    R"(La biblioteca abre a las nueve y cierra cuando se va el último lector. Quien devuelve un libro tarde no paga multa: cuenta en voz alta de qué trataba, y con eso basta.

Am Sonntag fuhr der Zug nicht, weil eine Weiche eingefroren war. Der Bahnhofsvorsteher stellte einen Kessel mit Tee auf den Bahnsteig, und niemand beschwerte sich über die Verspätung von fast drei Stunden.

Le boulanger pesait la farine deux fois, d'abord sur la vieille balance de son père, puis sur la neuve; quand elles n'étaient pas d'accord, il croyait toujours la première.

Старая яблоня у дома перестала цвести, и сосед посоветовал её спилить. Но весной, после долгого дождя, на самой нижней ветке появились три белых цветка, и разговор об этом больше не заходил.

村口的老井已经很久没有人用了。去年夏天停水的时候，大家才想起它来。水很凉，也很清，孩子们轮流摇着辘轳，笑声一直传到山的那一边。后来自来水恢复了，可是每到傍晚，还是有人提着木桶慢慢走过去。

駅前の時計は五分進んでいる。町の人はみなそれを知っているので、だれも困らない。旅行者だけが、思ったより早く着いたと言って喜ぶ。修理の人が来たとき、町長は少し考えてから、そのままにしておいてくださいと頼んだ。

할머니는 장날마다 같은 자리에 앉아 깨를 팔았다. 저울은 낡았지만 언제나 조금 더 얹어 주었기 때문에 아무도 무게를 따지지 않았다. 비가 오는 날에는 우산을 깨 위에 씌우고 자신은 비를 맞았다.

كان حارس المتحف يعرف كل لوحة باسمها، ويحيّيها في الصباح كما يحيّي الجيران. وحين سُئل أيها أجمل، قال إن الأجمل هي التي لم يُعلَّق مكانها شيء بعد.

בכל ערב שישי הדליקה השכנה נר אחד נוסף, ואיש לא שאל למי. כשעברה לעיר אחרת מצאו הדיירים על המדף קופסה עם נרות ופתק קצר: "שלא יהיה חושך במדרגות".

गाँव के डाकिए के पास नक्शा नहीं था, पर उसे हर घर की आवाज़ याद थी। जहाँ चक्की चलती थी वहाँ वह मुड़ता था, और जहाँ कोई गीत गाता था वहाँ रुककर चिट्ठी पढ़कर सुनाता था।

ร้านหนังสือเล็ก ๆ ริมคลองไม่มีป้ายชื่อ แต่ใครที่เคยมาก็กลับมาอีก เจ้าของร้านจำได้ว่าใครอ่านค้างไว้ถึงหน้าไหน

Η βάρκα του ψαρά είχε δύο ονόματα, ένα σε κάθε πλευρά, γιατί οι κόρες του δεν συμφώνησαν ποτέ. Έτσι, ανάλογα με τον άνεμο, έμπαινε στο λιμάνι άλλη βάρκα.

Bà cụ bán chè ở đầu ngõ chưa bao giờ ghi sổ nợ. Ai quên trả tiền hôm nay thì hôm sau tự nhớ, còn ai không nhớ thì chắc là đang có chuyện buồn.
)";

constexpr std::string_view kCalls =
    R"({"role": "system", "content": "You can call these functions.", "tools": [{"type": "function", "function": {"name": "find_trains", "description": "Connections between two stations", "parameters": {"type": "object", "properties": {"from": {"type": "string"}, "to": {"type": "string"}, "depart_after": {"type": "string", "format": "date-time"}, "max_changes": {"type": "integer", "minimum": 0}}, "required": ["from", "to"]}}}, {"type": "function", "function": {"name": "reserve_seat", "parameters": {"type": "object", "properties": {"train_id": {"type": "string"}, "class": {"enum": ["first", "second"]}, "quiet": {"type": "boolean"}}, "required": ["train_id"]}}}]}
{"role": "user", "content": "I have to be in Ghent before noon on Friday, leaving Utrecht. A quiet seat if there is one."}
{"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "find_trains", "arguments": {"from": "Utrecht Centraal", "to": "Gent-Sint-Pieters", "depart_after": "2026-05-15T06:00:00+02:00", "max_changes": 2}}}]}
{"role": "tool", "tool_call_id": "call_1", "content": {"connections": [{"train_id": "IC-9213", "depart": "06:38", "arrive": "09:57", "changes": 2, "seats": {"first": 4, "second": 0}}, {"train_id": "IC-9217", "depart": "07:38", "arrive": "10:57", "changes": 2, "seats": {"first": 11, "second": 23}}, {"train_id": "EC-1105", "depart": "08:22", "arrive": "12:14", "changes": 1, "seats": {"first": 2, "second": 8}}]}}
{"role": "assistant", "tool_calls": [{"id": "call_2", "type": "function", "function": {"name": "reserve_seat", "arguments": {"train_id": "IC-9217", "class": "second", "quiet": true}}}]}
{"role": "tool", "tool_call_id": "call_2", "content": {"status": "confirmed", "coach": 14, "seat": "62A", "quiet": true, "price": {"amount": 41.5, "currency": "EUR"}, "reference": "QK7-0F3-9ZD"}}
{"role": "assistant", "content": "You leave Utrecht Centraal at 07:38 and arrive in Ghent at 10:57, with two changes. I reserved seat 62A in coach 14, in the quiet zone, for 41.50 euros. The reference is QK7-0F3-9ZD."}
{"role": "user", "content": "And if I miss the first change?"}
{"role": "assistant", "tool_calls": [{"id": "call_3", "type": "function", "function": {"name": "find_trains", "arguments": {"from": "Rotterdam Centraal", "to": "Gent-Sint-Pieters", "depart_after": "2026-05-15T08:30:00+02:00", "max_changes": 1}}}]}
{"role": "tool", "tool_call_id": "call_3", "content": {"connections": [{"train_id": "EC-1109", "depart": "09:05", "arrive": "11:33", "changes": 1, "seats": {"first": 0, "second": 17}}], "warnings": ["Platform changes are announced ten minutes before departure."]}}
{"role": "assistant", "content": "Then EC-1109 at 09:05 from Rotterdam still brings you to Ghent at 11:33, before noon."}
)";

constexpr std::string_view kPrograms =
    R"(# Keeps the last values of a sensor and tells when one stands out.
import math
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Watch:
    size: int = 64
    limit: float = 4.0
    values: deque = field(default_factory=deque)

    def add(self, value: float) -> bool:
        """True where value is more than `limit` deviations from the mean of those before."""
        stands_out = False
        if len(self.values) >= 8:
            mean = sum(self.values) / len(self.values)
            variance = sum((v - mean) ** 2 for v in self.values) / len(self.values)
            deviation = math.sqrt(variance)
            stands_out = abs(value - mean) > self.limit * max(deviation, 1e-9)
        self.values.append(value)
        if len(self.values) > self.size:
            self.values.popleft()
        return stands_out


def main(path: str) -> int:
    watch = Watch()
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            try:
                value = float(text)
            except ValueError:
                print(f"{path}:{number}: {text!r} is no number")
                return 1
            if watch.add(value):
                print(f"{path}:{number}: {value:.3f} stands out")
    return 0

/* The same ring in C, without memory that grows. */
struct ring {
  float values[64];
  unsigned next, count;
};

static int ring_add(struct ring* r, float value, float limit) {
  float mean = 0, variance = 0;
  for (unsigned i = 0; i < r->count; ++i) mean += r->values[i];
  if (r->count > 0) mean /= (float)r->count;
  for (unsigned i = 0; i < r->count; ++i) {
    const float d = r->values[i] - mean;
    variance += d * d;
  }
  const int stands_out =
      r->count >= 8 && (value - mean) * (value - mean) > limit * limit * variance / (float)r->count;
  r->values[r->next] = value;
  r->next = (r->next + 1) % 64;
  if (r->count < 64) ++r->count;
  return stands_out;
}

-- Which sensors stood out most often in the last week.
SELECT s.name, COUNT(*) AS times, MAX(ABS(r.value - s.mean)) AS farthest
FROM readings AS r JOIN sensors AS s ON s.id = r.sensor_id
WHERE r.stands_out AND r.taken_at >= CURRENT_DATE - INTERVAL '7 days'
GROUP BY s.name HAVING COUNT(*) > 3 ORDER BY times DESC, s.name LIMIT 20;
)";

constexpr OwnText kTexts[] = {
    {"prose", kProse}, {"scripts", kScripts}, {"calls", kCalls}, {"programs", kPrograms}};

}  // namespace

std::span<const OwnText> OwnTexts() { return kTexts; }

}  // namespace rondo::tools
