"""Bodies of requests, and what is read from replies."""

CHAT, COMPLETIONS, RESPONSES = "/v1/chat/completions", "/v1/completions", "/v1/responses"
WEATHER = {
    "type": "object",
    "properties": {"city": {"enum": ["Paris", "Rome"]}, "days": {"enum": [1, 2, 3]}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
CLOCK = {"type": "object", "properties": {"zone": {"enum": ["UTC", "CET"]}}, "required": ["zone"]}


def function(name, parameters):
    about = {"name": name, "description": f"Tells {name}.", "parameters": parameters}
    return {"type": "function", "function": about}


TOOLS = [function("weather", WEATHER), function("clock", CLOCK)]


def user(text):
    return [{"role": "user", "content": text}]


def joined(events):
    """The chunks of a chat completion as the choices of a whole one; their form is checked."""
    first = events[0][1]
    choices = {}
    for _, chunk in events:
        for member in ("id", "created", "model", "object"):
            assert chunk[member] == first[member], (chunk, first)
        for one in chunk["choices"]:
            delta = one["delta"]
            if one["index"] not in choices:
                assert delta["role"] == "assistant" and not delta["content"], delta
                empty = {"content": "", "thought": "", "calls": [], "finish": None, "notes": []}
                choices[one["index"]] = empty
            choice = choices[one["index"]]
            assert choice["finish"] is None, "a chunk behind the end"
            choice["content"] += delta.get("content") or ""
            assert delta.get("reasoning_content") == delta.get("reasoning"), delta
            choice["thought"] += delta.get("reasoning_content") or ""
            for call in delta.get("tool_calls", []):
                if call["index"] == len(choice["calls"]):
                    assert call["id"] and call["type"] == "function", call
                    assert call["function"]["name"], call
                    assert call["function"]["arguments"] == "", call
                    choice["calls"].append([call["function"]["name"], ""])
                    continue
                assert call["index"] == len(choice["calls"]) - 1, call
                assert "id" not in call and "name" not in call["function"], call
                choice["calls"][-1][1] += call["function"]["arguments"]
            choice["notes"] += (one.get("logprobs") or {}).get("content") or []
            choice["finish"] = one["finish_reason"]
    return [choices[i] for i in range(len(choices))]


def read(reply):
    """The choices of a whole chat completion in the same form."""
    choices = []
    for i, one in enumerate(reply["choices"]):
        message = one["message"]
        assert one["index"] == i and message["role"] == "assistant", one
        calls = message.get("tool_calls", [])
        assert len({call["id"] for call in calls}) == len(calls), calls
        assert "tool_calls" not in message or calls, "an empty list of calls"
        choices.append(
            {
                "content": message["content"] or "",
                "thought": message.get("reasoning_content", ""),
                "calls": [[c["function"]["name"], c["function"]["arguments"]] for c in calls],
                "finish": one["finish_reason"],
                "notes": (one["logprobs"] or {}).get("content") or [],
            }
        )
    return choices


def masked(value):
    """Without what may differ from one answer to the next: ids and times."""
    if isinstance(value, list):
        return [masked(one) for one in value]
    if isinstance(value, dict):
        left_out = ("id", "created", "created_at", "timings", "item_id", "call_id", "usage")
        return {key: masked(one) for key, one in value.items() if key not in left_out}
    return value
