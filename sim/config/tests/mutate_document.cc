#include "mutate_document.hpp"

#include <cstring>
#include <iterator>
#include <random>
#include <string>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t max_size);

namespace config_test {

namespace {

using config::Json;

class Mutation {
public:
    Mutation(const config::Schema &schema, unsigned seed) : schema_(schema), dice_(seed) {}

    std::size_t below(std::size_t count) { return count ? dice_() % count : 0; }

    // Descends to a random object or array that the rules describe, and changes it.
    void change(Json &value, const Json &node) {
        const Json &rules = schema_.resolve(node);
        if (value.is_object() && rules.contains("properties"))
            change_object(value, rules.at("properties"));
        else if (value.is_array() && rules.contains("items"))
            change_array(value, rules.at("items"));
        else
            value = sample(rules, kDepth);
    }

private:
    static constexpr int kDepth = 3; // depth of inserted values

    void change_object(Json &object, const Json &properties) {
        const auto property = std::next(properties.begin(), pick(properties));
        const auto present = object.find(property.key());
        if (present == object.end())
            object[property.key()] = sample(property.value(), kDepth);
        else if (below(4) > 0)
            change(*present, property.value());
        else if (below(4) > 0)
            object.erase(present);
        else
            *present = sample(property.value(), kDepth);
    }

    void change_array(Json &array, const Json &items) {
        const std::size_t at = below(array.size());
        if (array.empty() || below(4) == 0)
            array.push_back(array.empty() || below(2) ? sample(items, kDepth) : Json(array[at]));
        else if (below(4) == 0)
            array.erase(at);
        else
            change(array[at], items);
    }

    std::ptrdiff_t pick(const Json &from) {
        return static_cast<std::ptrdiff_t>(below(from.size()));
    }

    Json sample(const Json &node, int depth) {
        const Json &rules = schema_.resolve(node);
        if (below(32) == 0)
            return nullptr;
        if (rules.contains("const"))
            return rules.at("const");
        if (rules.contains("enum"))
            return rules.at("enum")[below(rules.at("enum").size())];
        const std::string type = rules.value("type", "boolean");
        if (type == "object")
            return sample_object(rules, depth);
        if (type == "array")
            return depth > 0 ? Json::array({sample(rules.at("items"), depth - 1)}) : Json::array();
        if (type == "string")
            return sample_text(rules);
        if (type == "boolean")
            return below(2) == 0;
        return sample_number(rules, type == "integer");
    }

    // An object with its required keys, and sometimes one more key.
    Json sample_object(const Json &rules, int depth) {
        Json object = Json::object();
        const Json &properties = rules.at("properties");
        for (const Json &key : rules.value("required", Json::array()))
            object[key.get<std::string>()] =
                sample(properties.at(key.get<std::string>()), depth - 1);
        if (depth > 0 && (below(2) || rules.contains("minProperties"))) {
            const auto property = std::next(properties.begin(), pick(properties));
            object[property.key()] = sample(property.value(), depth - 1);
        }
        return object;
    }

    // A few names, so that some occur twice; the only pattern is that of a MAC address.
    Json sample_text(const Json &rules) {
        const char digit = static_cast<char>('0' + below(4));
        if (rules.contains("pattern"))
            return std::string("02:00:00:00:00:0") + digit;
        if (rules.contains("maxLength") && below(16) == 0)
            return std::string(rules.at("maxLength").get<std::size_t>() + below(2), 'x');
        return std::string("s") + digit;
    }

    // A bound, the default, or a number between or just outside; small numbers most often.
    Json sample_number(const Json &rules, bool whole) {
        const double least = rules.at("minimum").get<double>();
        const double most = rules.at("maximum").get<double>();
        switch (below(8)) {
        case 0:
            return rules.at("minimum");
        case 1:
            return rules.at("maximum");
        case 2:
            return rules.value("default", rules.at("minimum"));
        case 3:
            return whole ? Json(least - 1) : Json(most * 1.001 + 1);
        default:
            const double share = static_cast<double>(below(1000)) / 1000;
            const double value = least + (most - least) * share * share * share * share;
            if (!whole)
                return value;
            return value < 0 ? Json(static_cast<std::int64_t>(value))
                             : Json(static_cast<std::uint64_t>(value));
        }
    }

    const config::Schema &schema_;
    std::minstd_rand dice_;
};

} // namespace

std::size_t mutate_document(const config::Schema &schema, std::uint8_t *data, std::size_t size,
                            std::size_t max_size, unsigned seed) {
    Mutation mutation(schema, seed);
    Json document = Json::parse(data, data + size, nullptr, false);
    if (document.is_discarded() || mutation.below(4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (std::size_t left = 1 + mutation.below(4); left > 0; --left)
        mutation.change(document, schema.root());
    const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}

} // namespace config_test
