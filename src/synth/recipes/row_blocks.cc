// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/blocks.h"

namespace stitch::synth {
namespace {

const char* activation(Random& random) {
  static const std::vector<const char*> known = {"F.relu",      "F.gelu",        "F.silu", "torch.tanh",
                                                 "F.hardswish", "torch.sigmoid", "F.mish", "F.elu"};
  return random.pick(known);
}

std::string norm_layer(Writer& writer, const Extent& width) {
  const char* kind = writer.random().chance(0.5) ? "LayerNorm" : "RMSNorm";
  return writer.layer("norm", fmt::format("nn.{}({})", kind, writer.in_layer(width)));
}

std::string linear_layer(Writer& writer, const char* name, const Extent& in, const Extent& out, bool has_bias) {
  return writer.layer(name, fmt::format("nn.Linear({}, {}{})", writer.in_layer(in), writer.in_layer(out),
                                        has_bias ? "" : ", bias=False"));
}

// How a block is put around its body: norm before or after, a residual or none.
struct Frame {
  bool norms_before;
  bool norms_after;
  bool is_residual;
};

Frame frame(Random& random) {
  const bool before = random.chance(0.55);
  return {before, !before && random.chance(0.5), random.chance(0.75)};
}

// The value that the body reads.
std::string open_frame(Writer& writer, const Tensor& value, const Frame& around) {
  if (!around.norms_before) {
    return value.name;
  }
  return writer.assign("normed", fmt::format("{}({})", norm_layer(writer, value.features()), value.name));
}

void close_frame(Writer& writer, Tensor& value, const Frame& around, const std::string& result) {
  std::string text = around.is_residual ? fmt::format("{} + {}", value.name, result) : result;
  if (around.norms_after) {
    text = fmt::format("{}({})", norm_layer(writer, value.features()), text);
  }
  writer.step(value, text);
}

bool mlp(Writer& writer, Tensor& value) {
  const Frame around = frame(writer.random());
  const Extent hidden = times(writer.random().chance(0.5) ? 4 : 2, value.features());
  const bool has_bias = writer.random().chance(0.6);
  const std::string in = open_frame(writer, value, around);
  const std::string up = linear_layer(writer, "up", value.features(), hidden, has_bias);
  const std::string down = linear_layer(writer, "down", hidden, value.features(), has_bias);
  const std::string inner = writer.assign("hidden", fmt::format("{}({}({}))", activation(writer.random()), up, in));
  close_frame(writer, value, around, fmt::format("{}({})", down, inner));
  return true;
}

bool gated_mlp(Writer& writer, Tensor& value) {
  const Frame around = frame(writer.random());
  const Extent hidden = times(writer.random().chance(0.5) ? 3 : 2, value.features());
  const std::string in = open_frame(writer, value, around);
  const char* gate_by = activation(writer.random());
  const std::string down = linear_layer(writer, "down", hidden, value.features(), false);
  if (writer.random().chance(0.5)) {
    const std::string gate = linear_layer(writer, "gate", value.features(), hidden, false);
    const std::string up = linear_layer(writer, "up", value.features(), hidden, false);
    const std::string inner = writer.assign("hidden", fmt::format("{}({}({})) * {}({})", gate_by, gate, in, up, in));
    close_frame(writer, value, around, fmt::format("{}({})", down, inner));
  } else {
    const std::string both = linear_layer(writer, "gate_up", value.features(), times(2, hidden), false);
    const std::string parts = writer.assign("parts", fmt::format("{}({}).chunk(2, dim=-1)", both, in));
    close_frame(writer, value, around, fmt::format("{0}({1}({2}[0]) * {2}[1])", down, gate_by, parts));
  }
  return true;
}

bool bottleneck_adapter(Writer& writer, Tensor& value) {
  const Extent inner = writer.size("bottleneck", writer.random().chance(0.5) ? 64 : 128, 8);
  const std::string down = linear_layer(writer, "down", value.features(), inner, true);
  const std::string up = linear_layer(writer, "up", inner, value.features(), true);
  writer.step(value, fmt::format("{0} + {2}({3}({1}({0})))", value.name, down, up, activation(writer.random())));
  return true;
}

std::string heads_of(Writer& writer, const Extent& width, const std::string& source, const char* name, int heads) {
  const std::string layer = linear_layer(writer, name, width, width, writer.random().chance(0.5));
  return writer.assign(name, fmt::format("{}({}).unflatten(-1, ({}, -1)).transpose(1, 2)", layer, source, heads));
}

// What stands between scores and probabilities: softmax or one of its relatives, maybe under a mask.
std::string attended(Writer& writer, const std::string& q, const std::string& k, const std::string& v) {
  Random& random = writer.random();
  const bool is_causal = random.chance(0.4);
  if (random.chance(0.45)) {
    return writer.assign("attended", fmt::format("F.scaled_dot_product_attention({}, {}, {}{})", q, k, v,
                                                 is_causal ? ", is_causal=True" : ""));
  }
  const std::string scores =
      writer.assign("scores", fmt::format("{0} @ {1}.transpose(-2, -1) / {0}.shape[-1] ** 0.5", q, k));
  if (is_causal) {
    const std::string mask =
        writer.assign("mask", fmt::format("torch.ones_like({}[0, 0], dtype=torch.bool).triu(1)", scores));
    writer.draft().lines.push_back(fmt::format("{0} = {0}.masked_fill({1}, float(\"-inf\"))", scores, mask));
  }
  if (is_causal || random.chance(0.6)) {
    return writer.assign("attended", fmt::format("F.softmax({}, dim=-1) @ {}", scores, v));
  }
  static const std::vector<const char*> others = {"torch.relu({}) / 16", "torch.sigmoid({}) / 16",
                                                  "F.softmax(torch.tanh({} / 30) * 30, dim=-1)",
                                                  "F.normalize(torch.square({}), p=1, dim=-1)"};
  const std::string weights = fmt::format(fmt::runtime(random.pick(others)), scores);
  return writer.assign("attended", fmt::format("({}) @ {}", weights, v));
}

bool attention(Writer& writer, Tensor& value) {
  const int heads = writer.random().chance(0.5) ? 4 : 8;
  const Frame around = frame(writer.random());
  const std::string in = open_frame(writer, value, around);
  std::string q;
  std::string k;
  std::string v;
  if (writer.random().chance(0.5)) {
    const std::string layer = linear_layer(writer, "qkv", value.features(), times(3, value.features()), true);
    const std::string all =
        writer.assign("qkv", fmt::format("{}({}).unflatten(-1, (3, {}, -1)).permute(2, 0, 3, 1, 4)", layer, in, heads));
    q = all + "[0]";
    k = all + "[1]";
    v = all + "[2]";
  } else {
    q = heads_of(writer, value.features(), in, "query", heads);
    k = heads_of(writer, value.features(), in, "key", heads);
    v = heads_of(writer, value.features(), in, "value", heads);
  }
  const std::string mixed = attended(writer, q, k, v);
  const std::string out = linear_layer(writer, "project", value.features(), value.features(), true);
  close_frame(writer, value, around, fmt::format("{}({}.transpose(1, 2).flatten(2))", out, mixed));
  return true;
}

bool linear_attention(Writer& writer, Tensor& value) {
  const Frame around = frame(writer.random());
  const std::string in = open_frame(writer, value, around);
  const int heads = 4;
  const std::string q = heads_of(writer, value.features(), in, "query", heads);
  const std::string k = heads_of(writer, value.features(), in, "key", heads);
  const std::string v = heads_of(writer, value.features(), in, "value", heads);
  const char* feature = writer.random().chance(0.5) ? "F.elu({0}) + 1" : "torch.relu({0})";
  const std::string fq = writer.assign("mapped_query", fmt::format(fmt::runtime(feature), q));
  const std::string fk = writer.assign("mapped_key", fmt::format(fmt::runtime(feature), k));
  const std::string state = writer.assign("state", fmt::format("{}.transpose(-2, -1) @ {}", fk, v));
  const std::string total = writer.assign("total", fmt::format("{} @ {}.sum(dim=-2).unsqueeze(-1) + 1e-4", fq, fk));
  const std::string mixed = writer.assign("attended", fmt::format("{} @ {} / {}", fq, state, total));
  close_frame(writer, value, around, fmt::format("{}.transpose(1, 2).flatten(2)", mixed));
  return true;
}

bool pooled_attention(Writer& writer, Tensor& value) {
  const std::string score = writer.layer("score", fmt::format("nn.Linear({}, 1)", writer.in_layer(value.features())));
  const std::string weights = writer.assign("weights", fmt::format("F.softmax({}({}), dim=1)", score, value.name));
  writer.step(value, fmt::format("torch.sum({} * {}, dim=1)", weights, value.name));
  value.shape.erase(value.shape.begin() + 1);
  value.layout = Layout::kFeatures;
  return true;
}

bool recurrent(Writer& writer, Tensor& value) {
  if (value.shape[1].full > 512) {  // step follows step: longer ones never fill a GPU
    return false;
  }
  static const std::vector<const char*> kinds = {"LSTM", "GRU", "RNN"};
  const char* kind = writer.random().pick(kinds);
  static const std::vector<int64_t> widths = {128, 256, 512};
  const Extent hidden = writer.size("hidden_size", writer.random().pick(widths), 8);
  const bool two_ways = writer.random().chance(0.3);
  const int layers = writer.random().chance(0.3) ? 2 : 1;
  const std::string text =
      fmt::format("nn.{}({}, {}, num_layers={}, batch_first=True{})", kind, writer.in_layer(value.features()),
                  writer.in_layer(hidden), layers, two_ways ? ", bidirectional=True" : "");
  writer.step(value, fmt::format("{}({})[0]", writer.layer("recurrent", text), value.name));
  value.shape[2] = two_ways ? times(2, hidden) : hidden;
  return true;
}

bool decaying_average(Writer& writer, Tensor& value) {
  const std::string decay = writer.parameter("decay", writer.in_layer(value.features()), 0.5, 1);
  const std::string rate = writer.assign("rate", fmt::format("torch.sigmoid({})", decay));
  const std::string steps = writer.assign(
      "steps",
      fmt::format("torch.arange({0}.shape[1], device={0}.device, dtype={0}.dtype).view(1, -1, 1)", value.name));
  writer.step(value, fmt::format("torch.cumsum({0} * {1} ** -({2} / 64), dim=1) * {1} ** ({2} / 64) / 8", value.name,
                                 rate, steps));
  return true;
}

bool mixture(Writer& writer, Tensor& value) {
  const int experts = 4;
  const std::string router =
      writer.layer("router", fmt::format("nn.Linear({}, {})", writer.in_layer(value.features()), experts));
  const std::string& width = writer.in_layer(value.features());
  const std::string weights = writer.parameter("experts", fmt::format("{}, {}, {}", experts, width, width), 0.02, 0);
  const std::string gates = writer.assign("gates", fmt::format("F.softmax({}({}), dim=-1)", router, value.name));
  const char* rule = value.layout == Layout::kTokens ? "bsd,edo->bseo" : "bd,edo->beo";
  const std::string each = writer.assign(
      "each", fmt::format("{}(torch.einsum(\"{}\", {}, {}))", activation(writer.random()), rule, value.name, weights));
  writer.step(value, fmt::format("torch.sum({}.unsqueeze(-1) * {}, dim=-2)", gates, each));
  return true;
}

bool token_mixing(Writer& writer, Tensor& value) {
  if (value.shape[1].text.empty()) {
    return false;
  }
  const Frame around = frame(writer.random());
  const std::string in = open_frame(writer, value, around);
  const std::string mix = linear_layer(writer, "mix", value.shape[1], value.shape[1], true);
  close_frame(writer, value, around,
              fmt::format("{}({}({}.transpose(1, 2))).transpose(1, 2)", activation(writer.random()), mix, in));
  return true;
}

constexpr unsigned kTokensOnly = bit(Layout::kTokens);
constexpr Operator kRowBlocks[] = {
    {"mlp", "mlp", kRows, mlp},
    {"gated_mlp", "mlp", kRows, gated_mlp},
    {"adapter", "mlp", kRows, bottleneck_adapter},
    {"attention", "attention", kTokensOnly, attention},
    {"linear_attention", "linear_attention", kTokensOnly, linear_attention},
    {"attention_pool", "attention_pool", kTokensOnly, pooled_attention},
    {"recurrent", "recurrent", kTokensOnly, recurrent},
    {"decaying_average", "scan", kTokensOnly, decaying_average},
    {"mixture", "mixture", kRows, mixture},
    {"token_mixing", "token_mixing", kTokensOnly, token_mixing},
};

}  // namespace

std::span<const Operator> row_blocks() { return kRowBlocks; }

}  // namespace stitch::synth
