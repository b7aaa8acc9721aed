#include "schema_walk.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>

namespace config_test {

namespace {

using Pointer = Json::json_pointer;

struct Candidate {
    Json value;
    bool promised;
};

Json below(const Json &bound) {
    if (!bound.is_number_float())
        return bound.get<std::int64_t>() - 1;
    return std::nextafter(bound.get<double>(), -std::numeric_limits<double>::infinity());
}

Json above(const Json &bound) {
    if (bound.is_number_unsigned() && bound.get<std::uint64_t>() < UINT64_MAX)
        return bound.get<std::uint64_t>() + 1;
    const double value = bound.get<double>(); // 2^64 for the largest whole number
    return bound.is_number_float() ? std::nextafter(value, std::numeric_limits<double>::infinity())
                                   : value;
}

void add_numbers(const Json &rules, bool whole, std::vector<Candidate> &list) {
    const auto bound = [&](const char *key) {
        return whole ? rules.at(key) : Json(rules.at(key).get<double>());
    };
    list.push_back({bound("minimum"), true});
    list.push_back({bound("maximum"), true});
    list.push_back({below(bound("minimum")), false});
    list.push_back({above(bound("maximum")), false});
    list.push_back({"1", false});
    if (whole)
        list.push_back({rules.at("minimum").get<double>() + 0.5, false});
}

void add_words(const Json &values, std::vector<Candidate> &list) {
    for (const Json &value : values)
        list.push_back({value, true});
    if (values.front().is_number()) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        list.push_back({below(Json(least->get<double>())), false});
        list.push_back({above(Json(most->get<double>())), false});
        list.push_back({(least->get<double>() + most->get<double>()) / 2 + 0.01, false});
    }
    list.push_back({"no such word", false});
}

void add_texts(const Json &rules, std::vector<Candidate> &list) {
    const auto least = rules.value("minLength", std::size_t{0});
    list.push_back({std::string(least, 'x'), !rules.contains("pattern")});
    if (least > 0)
        list.push_back({std::string(least - 1, 'x'), false});
    if (rules.contains("maxLength")) {
        const auto most = rules.at("maxLength").get<std::size_t>();
        list.push_back({std::string(most, 'x'), !rules.contains("pattern")});
        list.push_back({std::string(most + 1, 'x'), false});
    }
}

// Values to try for a key with these rules.
std::vector<Candidate> candidates(const Json &rules) {
    std::vector<Candidate> list{{nullptr, false}, {Json::array({Json::array()}), false}};
    if (rules.contains("const")) {
        list.push_back({rules.at("const"), true});
        list.push_back({above(rules.at("const")), false});
    } else if (rules.contains("enum")) {
        add_words(rules.at("enum"), list);
    } else {
        const std::string type = rules.at("type");
        if (type == "number" || type == "integer")
            add_numbers(rules, type == "integer", list);
        if (type == "string")
            add_texts(rules, list);
        if (type == "boolean")
            for (const bool value : {false, true})
                list.push_back({value, true});
        if (type != "boolean")
            list.push_back({true, false});
        if (type == "array" && rules.value("minItems", 0) > 0)
            list.push_back({Json::array(), false});
        if (type != "object")
            list.push_back({Json::object({{"a", 1}}), false});
    }
    return list;
}

class Walker {
public:
    explicit Walker(const Walk &walk) : walk_(walk) {}

    int run() {
        for (const Json &document : walk_.documents) {
            EXPECT_EQ(walk_.verdict(document.dump()), "") << document;
            base_ = &document;
            object(Pointer(), walk_.schema.root(), "");
        }
        all_seen(walk_.schema.root(), "(top)");
        for (const auto &definition : walk_.schema.root().at("$defs").items())
            all_seen(definition.value(), definition.key());
        return tried_;
    }

private:
    void object(const Pointer &at, const Json &node, const std::string &path) {
        const Json &rules = walk_.schema.resolve(node);
        const std::string prefix = path.empty() ? "" : path + ".";
        Json unknown = *base_;
        unknown[at]["no_such_key"] = 1;
        expect(unknown, false, prefix + "no_such_key");
        for (const Json &key : rules.value("required", Json::array())) {
            Json lacking = *base_;
            lacking[at].erase(key.get<std::string>());
            expect(lacking, false, prefix + key.get<std::string>());
        }
        for (const auto &property : rules.at("properties").items()) {
            seen_.insert(&property.value());
            value(at, property.key(), property.value(), prefix + property.key());
        }
    }

    void value(const Pointer &parent, const std::string &key, const Json &node,
               const std::string &path) {
        const Json &rules = walk_.schema.resolve(node);
        for (const Candidate &candidate : candidates(rules))
            attempt(parent, key, candidate.value, candidate.promised, path);
        const bool given = base_->at(parent).contains(key);
        const std::string type = rules.value("type", "");
        if (type == "object" && given)
            object(parent / key, rules, path);
        if (type != "array")
            return;
        const Json &items = walk_.schema.resolve(rules.at("items"));
        if (items.value("type", "") == "object") {
            if (given)
                object(parent / key / 0, items, path + "[0]");
            return;
        }
        for (const Candidate &candidate : candidates(items)) {
            Json list = given ? base_->at(parent / key) : Json::array({nullptr});
            list[0] = candidate.value;
            attempt(parent, key, list, candidate.promised, path);
        }
        if (rules.value("uniqueItems", false)) {
            const Json &any = base_->at(parent / key)[0];
            attempt(parent, key, Json::array({any, any}), false, path);
        }
    }

    void attempt(const Pointer &parent, const std::string &key, const Json &value, bool promised,
                 const std::string &path) {
        Json document = *base_;
        document[parent][key] = value;
        walk_.settle(document, document[parent], key);
        expect(document, promised, path);
    }

    void expect(const Json &document, bool promised, const std::string &path) {
        ++tried_;
        const std::string message = walk_.verdict(document.dump());
        if (promised) {
            EXPECT_EQ(message, "") << "promised, but refused: " << path << " of " << document;
        } else {
            EXPECT_EQ(message.rfind("d.json: " + path, 0), 0u)
                << "not promised: " << path << " of " << document << ", message: " << message;
            EXPECT_NE(message.find("; "), std::string::npos) << message << " has no remedy";
        }
    }

    void all_seen(const Json &node, const std::string &path) {
        if (!node.contains("properties"))
            return;
        for (const auto &property : node.at("properties").items()) {
            EXPECT_TRUE(seen_.contains(&property.value()))
                << path << "." << property.key() << " is in no document of this test";
            all_seen(property.value(), path + "." + property.key());
        }
    }

    const Walk &walk_;
    const Json *base_ = nullptr;
    std::set<const Json *> seen_;
    int tried_ = 0;
};

} // namespace

int walk_schema(const Walk &walk) {
    return Walker(walk).run();
}

} // namespace config_test
